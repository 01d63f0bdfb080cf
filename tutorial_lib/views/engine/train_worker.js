// What trains beside the page. The page says {ask, ...}; what is told carries the run's number, so that the page can leave
// out what a run before it still tells. Training goes on in turns, so that questions are heard in between.
const TURN = 100, LOOK = 1500; // milliseconds
let machine, session = null, opened = null, book = null, run = 0, on = false, turns = 0, seconds = 0, looked = 0, text = "", writing = null;
const tell = (kind, more, moved) => postMessage({ kind, run, ...more }, moved);

function new_machine() { // for each run: the memory of the model before is free again
  try {
    return Training(TrainingKernel(Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0))));
  } catch {
    return Training(Arithmetic()); // a browser without SIMD
  }
}

const asked = {
  // The tokenizer of the book's decoder, and the names in the stories.
  book({ tokenizer, tokens, which, ...more }) {
    run = which;
    book = { cut: BPE(tokenizer), tokens, ids: new Map(tokens.map((token, id) => [token, id])), ...more };
  },
  begin({ about, text, which }) { forget(which); start(made(about, text), which); }, // whatever fails, no run is left
  forget({ which }) { forget(which); },
  // Bytes of a file that `save` made. It goes on with the book's stories; a reader's own text is not in it. Until the reader
  // agrees, the model before goes on.
  open({ bytes, stories }) {
    let weights, about, message = "This is not a file that this page has saved.";
    try {
      [weights, about] = read_safetensors(new Uint8Array(bytes));
      about = JSON.parse(about.about);
      message = null;
      opened = made(about, about.text === "stories" ? stories[about.kind] : null, weights);
      tell("right");
    } catch (error) {
      tell("refused", { message: message || error.message });
    }
  },
  take({ which }) { start(opened, which, true); },
  train() { if (!on) turn(++turns); },
  stop() { if (on) sample(); on = false; },
  step() {
    on = false;
    const before = performance.now(), found = session.follow();
    seconds += (performance.now() - before) / 1000;
    progress([found.loss]);
    sample();
    tell("followed", found);
  },
  rate({ lr }) { session.about.lr = lr; },
  look(data) { text = data.text; look(); },
  mute({ head }) { tell("muted", { head, step: session.step, before: session.evaluate(), after: session.evaluate(head) }); },
  write({ text }) {
    const { encode, pieces, missed } = session.vocabulary;
    if (missed(text)) tell("unknown", { missed: missed(text) });
    tell("wrote", { text: missed(text) ? encode(text).map((id) => pieces[id]).join("") : text }); // what it has read
    writing = session.write(text, session.about.kind === "words" ? 60 : 200);
    write_on(writing);
  },
  save() {
    const bytes = session.save();
    tell("saved", { bytes }, [bytes.buffer]);
  },
};

function forget(which) {
  run = which;
  on = false;
  session = opened = writing = null;
  seconds = 0;
}

function made(about, text, saved) { // a session and its machine; those before stay
  const before = machine;
  try {
    machine = new_machine();
    return [new Session(about, text, book, saved), machine];
  } finally {
    machine = before;
  }
}

function start(all, which, is_opened = false) {
  forget(which);
  [session, machine] = all;
  const { parameters, vocabulary: { tokens }, ids, baselines = {}, copied } = session;
  const n_weights = parameters.all.reduce((sum, W) => sum + machine.view(W).length, 0), kept = tokens.includes("\ufffd");
  const more = { size: tokens.length, n_tokens: ids && ids.length, machine: machine.name, is_opened };
  tell("ready", { about: { ...session.about, tokens: null }, baselines, copied, n_weights, kept, ...more });
  sample();
}

function write_on(which) { // a few tokens at a time, until another text is asked for
  guarded(() => {
    for (let i = 0; i < 4; i++) {
      const { value, done } = which === writing ? which.next() : { done: true };
      if (done) return;
      tell("wrote", { text: value });
    }
    setTimeout(write_on, 0, which);
  });
}

const is_due = (step) => step === 10 || step % (step < 100 ? 20 : step < 500 ? 50 : 250) === 0;

function turn(which) {
  guarded(() => {
    if (which !== turns) return;
    on = true;
    const before = performance.now(), losses = [];
    do losses.push(session.learn()); while (performance.now() - before < TURN && !is_due(session.step));
    seconds += (performance.now() - before) / 1000;
    progress(losses);
    if (is_due(session.step)) sample();
    else if (performance.now() - looked > LOOK) look();
    setTimeout(() => on && turn(which), 0);
  });
}

function progress(losses) { tell("progress", { losses, seconds, bytes: machine.bytes() }); }
function sample() { tell("sample", session.sample()); look(); }

function look() {
  if (!session) return; // the box was filled before the first press
  looked = performance.now();
  const found = session.look(text), nothing = text ? "The model knows none of these characters." : "Type a text here.";
  tell("look", { ...found, missed: found.tokens.length ? session.vocabulary.missed(text) : nothing });
}

function guarded(work) {
  try {
    work();
  } catch (error) {
    on = false;
    tell("error", { message: error.message });
  }
}

const NEED = ["train", "step", "rate", "mute", "write", "save"]; // a run: without one the page has been told why
onmessage = ({ data }) => guarded(() => (session || !NEED.includes(data.ask)) && asked[data.ask](data));
