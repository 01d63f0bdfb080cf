// A GPT that learns in the page: its loss, what it writes, where its heads look, and one weight followed through a step.
const TEXTS = [ // as in the menu of training.html
  { kind: "words", text: "stories", write: "Ella had a dog.",
    look: "Tom and Ella were the best friends. Tom had a ball. Ella took the ball from Tom." },
  { kind: "characters", text: "stories", write: "Ella had", look: "Tom had a ball. Tom lost the ball." },
  { kind: "repeats", text: "none", n_heads: 2, context: 32, batch: 32, lr: 3e-3, write: "qjwxzkqj", look: "qzkvbhmqzkvbhmqzkvbhm",
    hint: "Each text repeats 6 to 15 random letters, so only copying predicts them. Press Train. Later, try one layer: can it copy?" },
  { kind: "characters", text: "own", write: "", look: "", hint: "Paste a text or drop a file. A model learns a short text by heart." },
];
const SIZES = [[64, 2], [64, 1], [96, 3]]; // coordinates, layers
const RATES = [1e-4, 3e-4, 1e-3, 2e-3, 3e-3, 6e-3, 0.01, 0.02, 0.05, 0.1, 0.3, 1], RATE = 6e-3;
const EARLY = 500, QUIET = 8000; // milliseconds between two sentences read aloud: in the first 100 steps, and later
const ROWS = 40, LETTER = 12; // samples that are kept; pixels of a letter in a drawing
const CHOICES = ["text", "size", "seed", "own"]; // what a model starts from: another one needs a new model
const START = "Press Train. The model starts from random numbers.";
const { el, svg, number } = TL, whole = (n) => n.toLocaleString("en-US"), percent = (x) => `${Math.round(100 * x)}%`;

function draw(view) {
  const page = view.still ? null : window.tutorialLib, trains = page && page.training, parts = {};
  const chart = svg("svg", { role: "img" });
  let worker = null, which = 0, runs = 0, on = false, told = 0, reports = false, dirty = false, example = "", run = empty(), head = [0, 0];
  if (trains) build();
  else view.picture.replaceChildren(chart);
  curve();
  view.say(trains ? `Choose a text. ${START}` : "The losses that counting reaches on the book\u2019s stories. On the book\u2019s pages, a model learns here.");

  // What counting reaches is known before the first press for the first text only. moved: at which step the rate was.
  function empty() {
    const baselines = parts.text && parts.text.value !== "0" ? {} : view.data.baselines;
    return { loss: [], held: [], moved: -1, baselines, about: null, found: null };
  }

  // ---- The page asks

  function about() {
    const { look, write, ...text } = TEXTS[parts.text.value], [d_model, n_layers] = SIZES[parts.size.value];
    const plan = { seed: +parts.seed.value, lr: RATES[parts.rate.value], n_steps: 2000, warmup: view.data.warmup, std: 0.06 };
    return { d_model, n_layers, n_heads: 4, context: 64, batch: 16, ...text, ...plan };
  }

  // The worker, once; the first press loads it.
  function trainer() {
    return (parts.worker = parts.worker || load().catch((error) => {
      parts.worker = null; // the next press tries again
      failed(error.message);
      throw error;
    }));
  }

  async function load() {
    const made = await page.training();
    worker = made.worker;
    worker.onmessage = ({ data }) => data.run === which && answers[data.kind](data);
    worker.onerror = ({ message }) => failed(`The model cannot be trained in this browser: ${message}`);
    post("book", { names: view.data.names, which, ...made.book });
    const words = await TL.inflate(made.stories);
    parts.hand.innerHTML = made.hand;
    name_parts();
    parts.stories = { words, characters: words.replaceAll("<|endoftext|>", "\n"), repeats: "" };
  }

  function post(ask, more) { if (worker) worker.postMessage({ ask, ...more }); }
  function press(ask, more) { act(ask, more).catch(() => {}); } // trainer has said why
  function look() { post("look", { text: parts.look.value }); }

  // Asks the run for something; begins one if there is none.
  async function act(ask, more) {
    const mine = which;
    if (!worker) say("Loading the texts \u2026");
    else if (run.held.length && !reports) report(Infinity, true); // the sentence was about something before
    await trainer();
    if (mine !== which) return; // something else was chosen meanwhile
    if (!run.about && !parts.seed.checkValidity()) return failed("The seed must be a whole number from 0 to 9,999.");
    if (!run.about) begin();
    post(ask, more);
  }

  function begin() {
    const chosen = (run.about = about()), is_own = chosen.text === "own";
    const text = is_own ? parts.own.value.replace(/\r\n?/g, "\n") : parts.stories[chosen.kind];
    if (is_own && parts.look.value === example) parts.look.value = example = text.trim().slice(0, 30).replace(/\s+/g, " ");
    look();
    post("begin", { about: chosen, text, which: (which = ++runs) });
  }

  // Whether a model may go: the reader is asked about one that has learned. If not, the menus show its choices again.
  function may_go(why = "Another text, size, seed or file starts a new model. ") {
    const n = run.loss.length;
    if (!n || confirm(`${why}Forget this model, now at step ${n}?`)) return true;
    CHOICES.forEach((name, i) => { parts[name].value = run.chosen[i]; });
    say("The model is kept.");
    return false;
  }

  function another() { if (may_go()) forget(); }

  function forget() {
    const news = run.about ? `Forgotten. The learning rate stays ${parts.chosen.textContent}. The next press starts from random numbers.` : START;
    if (news !== parts.live.textContent) say(news); // not at each letter that is typed
    clear();
    post("forget", { which: (which = ++runs) });
  }

  function clear() {
    run = empty();
    head = [0, 0];
    pressed(false);
    parts.own.setCustomValidity("");
    for (const name of "rows grid map mapSay written wrote pace headSay".split(" ")) parts[name].replaceChildren();
    parts.hand.hidden = true;
    parts.python.textContent = python(about());
    curve();
  }

  // Fills the inputs with what belongs to a text.
  function fill({ text, look, write }, lr = RATE) {
    parts.ownBox.hidden = text !== "own";
    example = look; // not the reader's
    Object.entries({ rate: RATES.indexOf(lr), look, begin: write }).forEach(([name, value]) => { parts[name].value = value; });
    rate();
  }

  function choose() {
    if (!may_go()) return;
    const text = TEXTS[parts.text.value], before = parts.rate.value;
    fill(text, text.lr);
    forget();
    const set = ` The learning rate is now ${parts.chosen.textContent}, which suits this text.`;
    say((text.hint || START) + (parts.rate.value === before ? "" : set));
  }

  // Sets the inputs to what an opened model was trained with. Returns a sentence about them.
  function opened({ kind, text, d_model, n_layers, seed, lr }) {
    const place = TEXTS.findIndex((one) => one.kind === kind && one.text === text);
    const size = SIZES.findIndex((one) => String(one) === `${d_model},${n_layers}`);
    if (Math.min(place, size, RATES.indexOf(lr)) < 0) return " The file does not record its training: the menus stay as they are.";
    Object.entries({ text: place, size, seed }).forEach(([name, value]) => { parts[name].value = value; });
    fill(TEXTS[place], lr);
    look();
    return " The menus show how it was trained.";
  }

  function pressed(now) { on = now; parts.train.textContent = on ? "Stop" : run.loss.length ? "Go on" : "Train"; }

  // ---- The worker tells

  const answers = {
    ready(found) {
      Object.assign(run, found);
      parts.python.textContent = python(found.about, found.kept);
      const numbers = found.is_opened ? "trained numbers from the file (steps count from 0 here)" : "random numbers";
      const learns = found.n_tokens ? `, ${whole(found.n_tokens)} tokens to learn from.` : ".";
      const warms = found.baselines.guessing ? " Training begins with a new warmup, and the loss may rise at first." : "";
      const more = found.is_opened ? opened(found.about) + warms : "";
      run.chosen = CHOICES.map((name) => parts[name].value);
      say(`${whole(found.n_weights)} ${numbers}, ${whole(found.size)} different tokens${learns}${more}`);
      curve();
    },
    right() { if (may_go()) { clear(); post("take", { which: (which = ++runs) }); } }, // a file is, and waits
    refused({ message }) { say(`${message}${run.about ? " The model is kept." : ""}`); },
    progress({ losses, seconds }) {
      run.loss.push(...losses);
      if (!on) pressed(false); // a single step
      const n = run.loss.length;
      parts.pace.textContent = `Step ${n}, ${seconds.toFixed(0)} s of training, ${(n / seconds).toFixed(1)} steps per second`;
      if (on && run.held.length > 1) report(QUIET);
      later();
    },
    sample(found) {
      if (run.sample && run.sample.step === found.step) parts.rows.firstElementChild.remove();
      if (found.held !== null) run.held.push([found.step, found.held]);
      run.sample = found;
      const cells = [String(found.step), found.held === null ? "" : number(found.held), found.text.trim()];
      parts.rows.prepend(el("tr", {}, cells.map((cell) => el("td", {}, cell))));
      while (parts.rows.childElementCount > ROWS) parts.rows.lastElementChild.remove();
      if (run.loss.length) report(run.loss.length > 100 ? QUIET : EARLY, reports);
      later();
    },
    look(found) { run.found = found; later(); },
    unknown({ missed }) { say(missed); },
    followed: byHand,
    muted({ head: [layer, place], step, before, after }) {
      parts.headSay.textContent = before === null ? "The file has no text to measure the loss on." :
        `At step ${step}, with layer ${layer}, head ${place} silenced, the loss on ${unread()} goes from ${number(before)} to ${number(after)}. The head works again now.`;
    },
    // While it trains, later tokens are a later model's.
    wrote({ text }) {
      const n = run.loss.length, first = (run.wrote = run.wrote ?? n);
      parts.written.textContent = `Written at step${first < n ? `s ${first} to` : ""} ${n}:`;
      parts.wrote.append(text);
    },
    saved({ bytes }) {
      const link = el("a", { href: URL.createObjectURL(new Blob([bytes])), download: "my-gpt.safetensors" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      say('Saved as my-gpt.safetensors. In Python: GPT.from_pretrained("my-gpt.safetensors").');
    },
    error({ message }) {
      if (run.about && !run.held.length && !parts.ownBox.hidden) parts.own.setCustomValidity(message);
      failed(message);
    },
  };

  function failed(message) {
    if (!run.held.length) run.about = null; // the next press begins anew
    pressed(false);
    say(message);
  }

  // Puts a sentence on the page; a silent one is not read aloud.
  function say(text, silent = false) {
    reports = false;
    if (!silent) told = performance.now();
    parts.live.setAttribute("aria-live", silent ? "off" : "polite");
    view.say(text);
  }

  // Says how far it is. While it trains, this is read aloud only if the last sentence is some milliseconds old; at_once: it
  // is shown even if not.
  function report(old, at_once) {
    const silent = on && performance.now() - told < old;
    if (silent && !at_once) return;
    say(sentence(), silent);
    reports = true;
  }

  // What the loss is measured on. The end of a text that repeats itself is not new.
  function unread() { return run.copied > 0.5 ? "the end of the text, which repeats what it has read" : "text it has not read"; }

  // Why the loss that was measured last is no success: the rate has been moved since, or the loss has risen.
  function doubt(step, loss) {
    const rate = RATES[parts.rate.value], batches = run.loss.slice(-10);
    const lately = batches.reduce((a, b) => a + b, 0) / batches.length;
    const lowest = run.held.reduce((best, one) => (one[1] < best[1] ? one : best));
    // By heart: its batches are better than unread text ever was. A jump after a move of the rate is something else.
    const by_heart = lately < Math.min(lowest[1], loss - 0.3) && step >= run.moved + 10;
    const long = rate > 0.01 ? `: at a learning rate of ${rate}, each step overshoots.` : ".";
    const reason = by_heart ? ": it learns its training text by heart." : long;
    const up = lately > loss + 0.3 && `the loss on its batches has risen to ${number(lately)} nats`;
    if (step <= run.moved && run.moved < run.loss.length) return `Since then, you have moved the learning rate${up ? `, and ${up}` : ""}.`;
    if (loss > run.baselines.guessing + 0.3) return `That is worse than guessing, as it is sure of wrong tokens${reason}`;
    if (loss > lowest[1] + 0.1) return `That is above its lowest, ${number(lowest[1])} nats at step ${lowest[0]}${reason}`;
    return up && run.loss.length >= step + 10 ? `Since then, ${up}${reason}` : "";
  }

  // How far it is, beside what counting reaches. It names the step that it speaks of: the curve may have gone on.
  function sentence() {
    if (!run.held.length) return `Step ${run.loss.length}.`;
    const [step, loss] = run.held[run.held.length - 1], rate = RATES[parts.rate.value], { names, words } = run.sample;
    const is_now = !on && step === run.loss.length, is = is_now ? "is" : "was";
    const when = is_now ? `Step ${step}: its loss is` : `At step ${step}, its loss was`;
    const so = [`${when} ${number(loss)} nats on ${unread()}`], doubts = doubt(step, loss);
    if (doubts) return `${so}. ${doubts}`;
    const levels = Object.keys(run.baselines), passed = levels.filter((name) => loss < run.baselines[name] - 0.005).length;
    const beaten = levels[passed - 1], next = levels[passed] ? `, but not better than ${levels[passed]}` : "";
    const among = loss > 2.3 ? whole(Math.round(Math.exp(loss))) : Math.exp(loss).toFixed(1);
    const unsure = loss < 0.05 ? "almost always sure and right" : `as unsure as if ${among} of the ${whole(run.size)} tokens were equally likely`;
    so[0] += beaten ? `, so it ${is} ${unsure}. It ${is} better than ${beaten}${next}.` : `. It ${is} no better than guessing among all ${whole(run.size)} tokens.`;
    if (rate > 0.03 && step >= 60) so.push(`At a learning rate of ${rate}, each step overshoots.`);
    if (words !== null) so.push(`${words < 0.9 ? "Of" : "Now it writes words: of"} the words in this step\u2019s row below, ${percent(words)} occur in the text.`);
    // 3 nats: as unsure as between 20 names.
    if (names && names[0] < 3 && names[0] < names[1] - 0.7)
      so.push(`Now it copies names: one already in the story costs ${number(names[0])} nats, a new one ${number(names[1])}.`);
    if (run.about.kind === "repeats" && loss < 0.7) so.push("Now it copies: this loss counts only repeated letters.");
    if (run.about.kind === "repeats" && run.found) {
      const scores = heads().map((one) => score(one).after), best = scores.indexOf(Math.max(...scores)), [layer, place] = heads()[best];
      so.push(`Layer ${layer}, head ${place} looks most at what followed the same letter before: ${percent(scores[best])}.`);
    }
    return so.join(" ");
  }

  // ---- Drawings

  function later() {
    if (dirty) return;
    dirty = true;
    requestAnimationFrame(() => {
      dirty = false;
      curve();
      if (run.found) attention();
    });
  }

  // In pixels. Labels never overlap.
  function curve() {
    const levels = Object.values(run.baselines), held = run.held.map((one) => one[1]), n = Math.max(100, run.loss.length);
    const most = Math.max(1, ...levels), top = Math.min(2.5 * most, Math.max(1.12 * most, ...held, ...run.loss.slice(-200)));
    const width = Math.min(600, (chart.parentElement || chart).clientWidth || 600), end = width - 108;
    const x = (step) => 34 + ((end - 34) * step) / n, y = (loss) => 212 - (192 * Math.min(loss, top)) / top;
    const text = (at, words, more) => svg("text", { x: at[0], y: at[1], "font-size": LETTER, ...more }, words);
    const path = (d, more) => svg("path", { d, fill: "none", stroke: "currentColor", ...more });
    const line = (points, more) => path(`M${points.map(([step, loss]) => `${x(step).toFixed(1)} ${y(loss).toFixed(1)}`).join("L")}`, more);
    const drawn = [path(`M34 16V212H${end}`, { "stroke-opacity": 0.6 }), text([end + 20, 229], "steps")];
    let every = Math.pow(10, Math.floor(Math.log10(n))) / 2, above = -20;
    while (n / every > 5) every *= 2;
    for (let step = 0; step <= n; step += every) drawn.push(text([x(step), 229], String(step), { "text-anchor": "middle" }));
    for (let k = 0; k <= top; k += top > 8 ? 2 : 1) drawn.push(text([28, Math.round(y(k)) + 4], String(k), { "text-anchor": "end" }));
    for (const [name, level] of Object.entries(run.baselines)) {
      above = Math.max(Math.round(y(level)) + 4, above + 15);
      const dashes = { "stroke-dasharray": "5 4", "stroke-opacity": 0.7 };
      drawn.push(path(`M34 ${y(level).toFixed(1)}H${end}`, dashes), text([end + 5, above], name));
    }
    const bin = Math.max(1, Math.floor(run.loss.length / 300)), points = [];
    for (let i = 0; i < run.loss.length; i += bin) {
      const some = run.loss.slice(i, i + bin);
      points.push([i + some.length / 2, some.reduce((a, b) => a + b) / some.length]);
    }
    if (points.length) drawn.push(line(points, { "class": "tl-batches" }));
    const cut = [...held, ...points.map((one) => one[1])].some((loss) => loss > top);
    drawn.push(text([40, 11], `loss, in nats per token${cut ? " (higher ones are cut off)" : ""}`));
    const last = held.length - 1;
    if (held.length) drawn.push(line(run.held, { "class": "tl-held" }),
      svg("circle", { cx: x(run.held[last][0]), cy: y(held[last]), r: 4, "class": "tl-held" }));
    chart.setAttribute("viewBox", `0 0 ${width} 240`);
    chart.replaceChildren(...drawn);
    const counted = Object.entries(run.baselines).map(([name, level]) => `${name}: ${number(level)}`).join(", ");
    chart.setAttribute("aria-label", `The loss by step. ${counted}${held.length ? `. On ${unread()} it is ${number(held[last])}.` : "."}`);
  }

  function heads() {
    return run.found.weights.flatMap((_, layer) => Array.from({ length: run.about.n_heads }, (_, place) => [layer, place]));
  }

  function weight([layer, place], t, s, n = run.found.tokens.length) {
    return run.found.weights[layer][(place * n + t) * n + s];
  }

  // Of a head's attention, how much is on the previous token; and, at tokens that occurred earlier, on what followed them.
  function score(one) {
    const { tokens } = run.found;
    let before = 0, after = 0, again = 0;
    tokens.forEach((token, t) => {
      if (t) before += weight(one, t, t - 1) / (tokens.length - 1);
      const same = tokens.slice(0, Math.max(0, t - 1)).flatMap((other, s) => (other === token ? [s] : []));
      again += same.length > 0;
      same.forEach((s) => { after += weight(one, t, s + 1); });
    });
    return { before, after: again ? after / again : 0, again };
  }

  function attention() {
    const { tokens, weights } = run.found, n = tokens.length, all = heads();
    const color = getComputedStyle(view.root).getPropertyValue("--attention").match(/\w\w/g).map((hex) => parseInt(hex, 16));
    if (parts.grid.childElementCount !== all.length) parts.grid.replaceChildren(...all.map((one) => {
      const button = el("button", { type: "button" }, [el("canvas", { "aria-hidden": "true" }), `layer ${one[0]}, head ${one[1]}`]);
      button.addEventListener("click", () => { head = one; parts.headSay.replaceChildren(); attention(); });
      return button;
    }));
    all.forEach((one, i) => {
      const button = parts.grid.children[i], canvas = button.firstChild;
      button.setAttribute("aria-pressed", String(one[0] === head[0] && one[1] === head[1]));
      canvas.width = canvas.height = n || 1;
      if (!n) return;
      const context = canvas.getContext("2d"), image = context.createImageData(n, n), from = one[1] * n * n;
      for (let k = 0; k < n * n; k++) image.data.set([...color, 255 * Math.sqrt(weights[one[0]][from + k])], 4 * k);
      context.putImageData(image, 0, 0);
    });
    large(tokens);
  }

  // As many tokens as can be read at this width.
  function large(all) {
    const width = Math.min(480, parts.map.parentElement.clientWidth || 480), room = width - 80, found = score(head);
    const tokens = all.slice(0, Math.floor(room / LETTER)), n = tokens.length, side = room / Math.max(n, 16), drawn = [];
    const label = (token) => ({ "text-anchor": "end", "font-size": token === " " ? 8 : LETTER }); // its sign is large
    tokens.forEach((token, t) => {
      const down = `translate(${76 + (t + 0.8) * side} ${n * side + 4}) rotate(-90)`;
      drawn.push(svg("text", { x: 72, y: (t + 0.8) * side, ...label(token) }, shown(token)), svg("text", { transform: down, ...label(token) }, shown(token)));
      for (let s = 0; s <= t; s++) if (weight(head, t, s) > 0.01) drawn.push(svg("rect",
        { x: 76 + s * side, y: t * side, width: side, height: side, "fill-opacity": Math.sqrt(weight(head, t, s)).toFixed(2) }));
    });
    const again = found.again ? ` Where a token comes again, ${percent(found.after)} of the attention is on what followed it before.` : "";
    const before = all.length > 1 ? `: ${percent(found.before)} of its attention is on the previous token.` : ".";
    const says = `Layer ${head[0]}, head ${head[1]}${before}${again}`;
    parts.map.setAttribute("viewBox", `0 0 ${width} ${n * side + 75}`);
    parts.map.setAttribute("aria-label", says);
    parts.map.replaceChildren(...drawn);
    const row = `Each row is a token; the stronger a square\u2019s color, the more that token looks at the column\u2019s. ${says}`;
    parts.mapSay.textContent = `${run.found.missed} ${n ? row : ""}`.trim();
  }

  function shown(token) { return token.replace(/\n/g, "\u23ce").replace(/^ (?=.)/, "").replace(/^ $/, "\u2423"); }

  // One step, in numbers that a pocket calculator can follow.
  function byHand({ read, right, k, share, lr, fell, against, numbers }) {
    const exact = (x) => Number(x.toPrecision(5)).toString().replaceAll("-", "\u2212"), row = shown(right);
    const said = { done: run.loss.length, row, k, batch: run.about.batch, share: exact(share), reached: exact(lr / RATES[parts.rate.value]) };
    for (const [name, value] of Object.entries(said)) parts[name].textContent = value;
    parts.fell.hidden = !fell;
    parts.against.hidden = !against;
    const cells = [`\u2026${read}`, row, ...numbers.map((some) => [some].flat().map(exact).join(" \u2192 "))];
    parts.hand.querySelectorAll("td").forEach((cell, i) => { cell.textContent = cells[i]; });
    parts.hand.hidden = false;
    const [row_now, row_before] = parts.rows.children;
    if (row_before && row_before.single) row_before.remove(); // they would fill the table
    row_now.single = true;
  }

  // The lines of views/training.py with this run's numbers.
  function python(of, kept) {
    const values = { d_ff: 4 * of.d_model, ...of }, first = of.text === "own" ? "own" : of.kind;
    const names = [first, kept && "rare", of.kind === "characters" && "numbers", of.kind !== "repeats" && "held", "run"];
    const filled = (name) => view.data.python[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
    return names.filter(Boolean).map(filled).join("\n\n");
  }

  // ---- What the reader can press

  function name_parts() {
    for (const part of view.picture.querySelectorAll("[data-part]")) parts[part.dataset.part] = part;
  }

  function build() {
    parts.live = view.root.querySelector(".tl-say");
    view.controls.after(parts.live);
    view.picture.innerHTML = view.data.html;
    name_parts();
    parts.more.before(chart);
    view.controls.append(...parts.controls.children);
    const listen = (event, all) => Object.entries(all).forEach(([name, act]) => parts[name].addEventListener(event, act));
    listen("click", {
      train() { parts.hand.hidden = true; pressed(!on); press(on ? "train" : "stop"); },
      step() { pressed(false); press("step"); },
      forget() { if (may_go("")) forget(); },
      silence() { press("mute", { head }); },
      write() {
        run.wrote = null;
        parts.written.replaceChildren();
        parts.wrote.replaceChildren();
        press("write", { text: parts.begin.value });
      },
      save() { press("save"); },
    });
    listen("mousedown", { train(event) { if (on) event.preventDefault(); } }); // Stop stops: it does not leave the seed's field
    listen("input", { rate, look, own: another });
    listen("change", { text: choose, size: another, seed: another, file: open });
    listen("dragover", { own: (event) => event.preventDefault() });
    listen("drop", { own: drop });
    addEventListener("resize", later);
    fill(TEXTS[0]);
  }

  function rate() {
    parts.chosen.textContent = RATES[parts.rate.value];
    parts.rate.setAttribute("aria-valuetext", parts.chosen.textContent);
    if (run.loss.length) run.moved = run.loss.length;
    told = Math.min(told, performance.now() - QUIET + EARLY); // the old rate's sentence is soon replaced
    post("rate", { lr: RATES[parts.rate.value] });
    if (!run.about) parts.python.textContent = python(about());
  }

  async function open() {
    const [file] = parts.file.files, bytes = file && (await file.arrayBuffer());
    parts.file.value = ""; // the same file can be opened again
    if (!bytes) return;
    await trainer();
    post("open", { bytes, stories: parts.stories });
  }

  async function drop(event) {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    if (!may_go()) return;
    parts.own.value = await event.dataTransfer.files[0].slice(0, 9e6).text();
    forget();
    say("The file is loaded. Press Train.");
  }
}
