// "Which bank do you mean?": what the reader does. which_picture.js draws each state; this file finds the next one. Stored
// sentences bring their answers; the reader's own, and several switches at once, go to the model in the page.
function draw(view) {
  if (view.still) { view.picture.innerHTML = Which.page(Which.first(view.data)); return; }
  const { LAYERS, HEADS } = Which, words = view.data.words, live = window.tutorialLib, still = matchMedia("(prefers-reduced-motion: reduce)");
  const range = (n) => Array.from({ length: n }, (_, i) => i), layerStops = range(LAYERS).map((l) => `layer.${l}`);
  const OUTPUTS = ["embeddings.output", ...layerStops.map((layer) => `${layer}.output`)];
  const LETTERS = 300; // of a sentence: each word and line is a run of the model
  const known = {}; // words that were opened, the reader's own among them
  let state = null, seen = {}, turn = 0, playing = 0;

  // ---- showing -------------------------------------------------------------------------------------------------------
  const part = (name) => view.picture.querySelector(`[data-part="${name}"]`);

  // The parts that have changed; what has the focus keeps it.
  function show() {
    const parts = Which.parts(state), focused = document.activeElement && document.activeElement.getAttribute("data-key");
    for (const [name, inside] of Object.entries(parts)) if (seen[name] !== inside) part(name).innerHTML = seen[name] = inside;
    part("verdict").style.color = state.t < LAYERS ? "" : Which.color(Which.endOf(state.path));
    if (focused) (view.root.querySelector(`[data-key="${focused}"]`) || part("sentence")).focus({ preventScroll: true });
    lit();
    linked();
  }

  // The moving parts: the word on its way, and the lit elements.
  function tick() {
    const rider = part("rider");
    if (part("way")) part("way").innerHTML = Which.way(state);
    if (rider) rider.innerHTML = Which.rider(state, +rider.getAttribute("data-x"));
    for (const [name, inside] of [["verdict", Which.parts(state).verdict], ["why", Which.parts(state).why]]) if (seen[name] !== inside) part(name).innerHTML = seen[name] = inside;
    part("verdict").style.color = state.t < LAYERS ? "" : Which.color(Which.endOf(state.path));
    lit();
  }

  function lit() {
    for (const kind of ["uses", "floor", "lines"]) view.picture.querySelectorAll(`.which-${kind}`).forEach((g) => { g.style.opacity = Which.light(state, +g.getAttribute("data-layer"))[kind]; });
    time.value = state.t;
    floor.textContent = state.t < 0.01 ? "start" : state.t >= LAYERS ? "after layer 6" : `layer ${Math.ceil(state.t - 1e-6)}`;
    time.setAttribute("aria-valuetext", floor.textContent);
  }

  // The path moves over from one answer to the next.
  function move(path) {
    const from = state.path, mine = turn, begun = performance.now();
    stop();
    state.t = LAYERS;
    if (still.matches) { state.path = path; return show(); }
    state.path = path;
    show();
    (function step(now) {
      const s = Math.max(0, Math.min(1, (now - begun) / 600)), e = s * s * (3 - 2 * s);
      if (mine !== turn) return;
      state.path = s === 1 ? path : path.map((place, l) => place.map((x, i) => from[l][i] + (x - from[l][i]) * e));
      tick();
      if (s < 1) requestAnimationFrame(step);
    })(begun);
  }

  function stop() {
    cancelAnimationFrame(playing);
    playing = 0;
    press.textContent = "▶";
    press.setAttribute("aria-label", "Play");
  }

  function play(from) {
    stop();
    if (still.matches) { state.t = from >= LAYERS ? 0 : Math.floor(from) + 1; return tick(); } // floor by floor
    press.textContent = "❚❚";
    press.setAttribute("aria-label", "Pause");
    let before = performance.now();
    state.t = from >= LAYERS ? 0 : from;
    playing = requestAnimationFrame(function step(now) {
      state.t = Math.min(LAYERS, state.t + Math.max(0, now - before) / (state.t < 1 ? 2200 : 1100));
      before = now;
      tick();
      if (state.t < LAYERS) playing = requestAnimationFrame(step); else stop();
    });
  }

  // What a new answer begins with.
  const start = () => still.matches || play(0);

  // ---- opening -------------------------------------------------------------------------------------------------------
  function choose(word, answer, off) {
    const about = known[word] || (known[word] = Which.known(words[word]));
    open({ ...state, word, about }, answer || about.examples[0], off);
  }

  function open(next, answer, off) {
    turn++;
    stop();
    state = { ...next, answer, off: Which.nothing(), path: answer.path, t: LAYERS };
    view.root.classList.remove("which-old");
    input.value = answer.text;
    show();
    if (off && Which.isOff(off)) change(off);
  }

  // ---- switches ------------------------------------------------------------------------------------------------------
  // The effect of a switch on a stored answer; null if it must be computed.
  function stored({ hide, mute, after, order }) {
    const { answer } = state, n = (hide.length ? 1 : 0) + mute.length + (after !== null) + (order !== null);
    if (n === 0) return answer.path;
    if (n > 1) return null;
    if (hide.length) return answer.hidden && String(Which.whole(answer.tokens, hide[0])) === String(hide) ? answer.hidden[hide[0]] : null;
    if (mute.length) return answer.muted && answer.muted[mute[0]];
    if (after !== null) return answer.after && answer.after[after];
    return answer.shuffled && answer.shuffled[order];
  }

  async function change(off) {
    const mine = ++turn, path = stored(off);
    if (path) { state.off = off; return move(path); }
    try {
      const [found] = await computed([off], () => mine === turn);
      if (mine !== turn) return;
      state.off = off;
      move(found);
    } catch (error) {
      say(error.message);
    }
  }

  const joined = (tokens) => tokens.filter((token) => !/^\[(CLS|SEP)\]$/.test(token)).join(" ").replace(/ ##/g, "");

  // The paths of some sets of switches, by the model in the page.
  async function computed(sets, current, got = () => {}) {
    if (!live) throw new Error("This needs the model, which comes with the book's site.");
    await ready();
    const { about, answer } = state, paths = [];
    for (const off of sets) {
      const order = off.order === null ? range(answer.tokens.length) : answer.orders[off.order], at = (i) => order.indexOf(i);
      const outputs = off.after === null ? {} : Object.fromEntries(range(LAYERS).slice(off.after).map((l) => [l, unpacked(about).heard[l]]));
      const run = { hide: off.hide.map(at), silence: off.mute.map((i) => [Math.floor(i / HEADS), i % HEADS]), heard: { place: at(answer.place), outputs } };
      const text = off.order === null ? answer.text : joined(order.map((i) => answer.tokens[i]));
      for await (const vectors of live.runs(text, [run], { place: at(answer.place) })) paths.push(read(about, vectors));
      if (!current()) break;
      got(paths);
    }
    return paths;
  }

  async function ready() {
    say(live.wanted() ? "" : "Loading the model, 32 MB, once …");
    await live.load(undefined, (share) => say(share < 1 ? `Loading the model, 32 MB, once: ${Math.round(share * 100)} %` : ""));
    say("");
  }

  // ---- numbers -------------------------------------------------------------------------------------------------------
  // Rows of whole numbers, each with the size of its step.
  function rows({ bytes, steps }) {
    const all = new Int8Array(TL.bytes(bytes).buffer), n = all.length / steps.length;
    return steps.map((step, i) => Float32Array.from(all.subarray(i * n, (i + 1) * n), (x) => x * step));
  }

  const dot = (x, y, at = 0) => x.reduce((sum, value, k) => sum + value * y[at + k], 0);

  // The stored data of a word, as numbers, once: the axes, and by layer what it hears on average and an average word's value.
  function unpacked(about) {
    about.numbers = about.numbers || { axes: [...rows(about.d), ...rows(about.e)], heard: rows(about.heard), value: rows(about.value) };
    return about.numbers;
  }

  const otherWords = ({ tokens, place }) => range(tokens.length).filter((i) => i !== place && !/^\[(CLS|SEP)\]$/.test(tokens[i]) && /[\p{L}\p{N}]/u.test(tokens[i]));

  // The path of a word's vectors, one depth after the other.
  function read(about, vectors) {
    const { middle, scale } = about;
    return range(LAYERS + 1).map((l) => unpacked(about).axes.map((axis, i) => (dot(axis, vectors, l * axis.length) - middle[l][i]) / scale[i]));
  }

  // ---- sentences of the reader's own ---------------------------------------------------------------------------------
  function pick(values, shape, place) {
    const d = shape[shape.length - 1];
    return values.slice(place * d, (place + 1) * d);
  }

  async function ask(text) {
    const has = (word) => new RegExp(`(^|[^\\p{L}])${word}([^\\p{L}]|$)`, "iu").test(text), all = [state.word, ...Object.keys({ ...words, ...known })];
    const word = all.find(has);
    if (!word) {
      view.root.classList.add("which-old");
      return say(`This picture knows ${[...new Set(all)].map((one) => `“${one}”`).join(", ")}, only in this form. Use one of these words, or teach it another, below.`);
    }
    const about = known[word] || (known[word] = Which.known(words[word])), i = about.examples.findIndex((one) => one.text.toLowerCase() === text.toLowerCase());
    if (i >= 0) { choose(word, about.examples[i]); return start(); }
    if (!live) return say("Your own sentence needs the model, which comes with the book's site.");
    const mine = ++turn;
    try {
      await ready();
      const run = await live.trace(text, { stops: OUTPUTS.concat(layerStops.map((layer) => `${layer}.attention.weights`)) }), { tokens } = run, place = tokens.indexOf(word);
      if (mine !== turn) return;
      if (place < 0) throw new Error(`“${word}” is not a single token in this sentence.`);
      const vectors = new Float32Array(OUTPUTS.flatMap((stop) => [...pick(run.stops[stop].values, run.stops[stop].shape, place)]));
      const notes = [tokens.indexOf(word, place + 1) > 0 ? `“${word}” occurs twice: this is the first.` : "", run.cut ? `Your text is long: its last ${run.cut} tokens are left out.` : ""];
      open({ ...state, word, about }, { text, tokens, place, right: null, stored: null, own: true, path: read(about, vectors), orders: orders(tokens) });
      say(notes.filter(Boolean).join(" "));
      start();
      await causes(state.answer, run, turn);
    } catch (error) {
      if (mine === turn) say(error.message);
    }
  }

  // Three orders of the sentence's words; pieces and marks stay with the word before them.
  function orders(tokens) {
    const groups = [];
    range(tokens.length).slice(1, -1).forEach((i) => (/^##|^[^\w\s]+$/.test(tokens[i]) && groups.length ? groups[groups.length - 1].push(i) : groups.push([i])));
    return range(3).map((seed) => {
      const mixed = groups.map((group, i) => [Math.sin((i + 1) * (seed + 1) * 12.9898) * 43758.5453 % 1, group]).sort((a, b) => a[0] - b[0]).flatMap(([, group]) => group);
      return [0, ...mixed, tokens.length - 1];
    });
  }

  // What each word, head and line does to the answer: each is taken away, one by one.
  async function causes(answer, run, mine) {
    const { tokens, place, text } = answer, { about } = state, n = tokens.length, keys = otherWords(answer), others = range(n).slice(1, -1).filter((j) => j !== place && Which.whole(tokens, j)[0] === j);
    const weights = layerStops.map((layer) => run.stops[`${layer}.attention.weights`].values), weight = (l, h, j) => weights[l][(h * n + place) * n + j];
    const sets = [
      ...others.map((j) => ({ hide: Which.whole(tokens, j) })),
      ...range(LAYERS * HEADS).map((i) => ({ silence: [[Math.floor(i / HEADS), i % HEADS]] })),
      ...range(LAYERS + 1).map((k) => ({ heard: { place, outputs: Object.fromEntries(range(LAYERS).slice(k).map((l) => [l, unpacked(about).heard[l]])) } })),
      ...range(LAYERS).flatMap((layer) => keys.map((key) => ({ edges: [{ layer, query: place, key, value: unpacked(about).value[layer] }] }))),
    ];
    const paths = [];
    for await (const vectors of live.runs(text, sets, { place })) {
      if (mine !== turn && state.answer !== answer) return;
      paths.push(read(about, vectors));
      if (paths.length === others.length) {
        answer.hidden = Object.fromEntries(others.flatMap((j, i) => Which.whole(tokens, j).map((piece) => [piece, paths[i]])));
        if (!playing) show();
      }
    }
    const rest = paths.slice(others.length), moved = (path) => answer.path[LAYERS][0] - path[LAYERS][0];
    answer.muted = rest.slice(0, LAYERS * HEADS);
    answer.heads = answer.muted.map((path) => path[LAYERS][0]);
    answer.after = rest.slice(LAYERS * HEADS, LAYERS * HEADS + LAYERS + 1);
    const edges = rest.slice(LAYERS * HEADS + LAYERS + 1).map(moved);
    answer.edges = range(LAYERS).map((l) => range(n).map((key) => (keys.includes(key) ? edges[l * keys.length + keys.indexOf(key)] : 0)));
    answer.hears = range(LAYERS * HEADS).map((i) => {
      const heard = range(n).map((j) => (j === 0 || j === place || j === n - 1 ? 0 : weight(Math.floor(i / HEADS), i % HEADS, j))), most = Math.max(...heard);
      return [heard.indexOf(most), most];
    });
    if (!playing) show();
  }

  // ---- a word of the reader's own ------------------------------------------------------------------------------------
  async function bring(word, names, texts) {
    if (!live) throw new Error("Your own word needs the model, which comes with the book's site.");
    await ready();
    const uses = [], values = range(LAYERS).map(() => []), outputs = range(LAYERS).map(() => []);
    const stops = OUTPUTS.concat(layerStops.flatMap((layer) => [`${layer}.attention.values`, `${layer}.attention.output`]));
    for (const [side, list] of texts.entries()) for (const text of list) {
      const run = await live.trace(text, { stops }), place = run.tokens.indexOf(word), at = (stop) => pick(run.stops[stop].values, run.stops[stop].shape, place);
      if (place < 0) throw new Error(`“${word}” is not a single token in “${text}”.`);
      uses.push({ text, side, states: OUTPUTS.map((stop) => [...at(stop)]) });
      layerStops.forEach((layer, l) => {
        outputs[l].push(at(`${layer}.attention.output`));
        otherWords({ tokens: run.tokens, place }).forEach((i) => values[l].push(joined_heads(run.stops[`${layer}.attention.values`], i)));
      });
    }
    const mean = (rows) => Float32Array.from(rows[0], (_, k) => rows.reduce((sum, row) => sum + row[k], 0) / rows.length), found = sensesOf(uses);
    known[word] = { ...found, names, numbers: { axes: found.axes, heard: outputs.map(mean), value: values.map(mean) } };
    state = { ...state, word, about: known[word], words: [...new Set([...state.words, word])] };
    await ask(uses[0].text);
    view.root.scrollIntoView();
    return `A test: each of your sentences was left out once, and ${found.right} of ${uses.length} land on their own side. Now ask about a new one, above.`;
  }

  // A token's vector with all heads side by side; a value comes as (heads, tokens, d_k).
  function joined_heads({ values, shape: [n_heads, n, d_k] }, i) {
    return Float32Array.from({ length: n_heads * d_k }, (_, k) => values[(Math.floor(k / d_k) * n + i) * d_k + (k % d_k)]);
  }

  // ---- a link that carries its answer --------------------------------------------------------------------------------
  function linked() {
    const { word, answer, off, t } = state, parts = [["view", "which"], ["word", word], ["text", answer.text]];
    if (answer.own) parts.push(["tokens", answer.tokens.join(" ")], ["path", answer.path.flat().map((x) => Math.round(x * 100)).join(".")]);
    if (t < LAYERS && !playing) parts.push(["t", Math.round(t)]);
    for (const name of ["hide", "mute"]) if (off[name].length) parts.push([name, off[name].join(".")]);
    for (const name of ["after", "order"]) if (off[name] !== null) parts.push([name, off[name]]);
    link.href = `${chapter ? "index.html" : ""}#${new URLSearchParams(parts)}`;
    if (!chapter) link.textContent = "Link to this answer";
    link.hidden = chapter ? !live : !(word in words); // a word of the reader's own does not fit into a link
  }

  function arrive() {
    const asked = new URLSearchParams(location.hash.slice(1)), word = asked.get("word"), text = asked.get("text") || "", list = (name) => (asked.get(name) || "").split(".").filter(Boolean).map(Number);
    if (asked.get("view") !== "which" || !(word in words)) return choose(view.data.word);
    const one = (name) => (asked.has(name) && Number.isInteger(+asked.get(name)) ? +asked.get(name) : null);
    const off = { hide: list("hide"), mute: list("mute"), after: one("after"), order: one("order") }, places = list("path"), tokens = (asked.get("tokens") || "").split(" ");
    const about = known[word] = Which.known(words[word]), i = about.examples.findIndex((one) => one.text === text);
    if (places.length === 2 * (LAYERS + 1) && places.every(Number.isFinite) && tokens.includes(word)) {
      const path = range(LAYERS + 1).map((l) => [places[2 * l] / 100, places[2 * l + 1] / 100]);
      choose(word, { text: text.slice(0, LETTERS), tokens, place: tokens.indexOf(word), right: null, stored: null, own: true, path, orders: orders(tokens) });
      say("The answer came with the link. Press Ask to compute it here.");
    } else {
      choose(word, about.examples[Math.max(0, i)], off);
      if (text && i < 0) ask(text);
    }
    if (one("t") !== null) { state.t = Math.max(0, Math.min(LAYERS, one("t"))); tick(); }
    view.root.scrollIntoView();
  }

  // ---- the controls --------------------------------------------------------------------------------------------------
  const narrow = () => innerWidth < 761, chapter = view.data.floor !== null;
  const input = TL.el("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": "Your own sentence" });
  const form = TL.el("form", { "class": "which-ask" }, [input, TL.el("button", { type: "submit" }, "Ask")]);
  const note = TL.el("p", { role: "status", "class": "which-note" });
  const press = TL.el("button", { type: "button", "aria-label": "Play" }, "▶"), time = TL.el("input", { type: "range", min: 0, max: LAYERS, step: 0.01, "aria-label": "Floor" }), floor = TL.el("output", {});
  const bar = TL.el("div", { "class": "which-play" }, [press, time, floor]);
  const link = TL.el("a", { href: "#", "class": "which-link" }, "Open the whole picture"), all = TL.el("button", { type: "button", "class": "which-all" }, "Show all of them");

  function say(text) { note.textContent = text; }

  state = { ...Which.first(view.data), narrow: narrow() };
  known[state.word] = state.about;
  view.picture.innerHTML = Which.page(state);
  seen = {};
  view.picture.querySelector(".which-panels").prepend(bar);
  if (chapter) {
    view.picture.querySelector(".which-break").after(note, link);
    show();
  } else {
    view.picture.querySelector(".which-head").append(form);
    part("examples").after(note);
    part("list").after(all, link, wordForm(bring));
    all.hidden = !narrow();
    arrive();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return say("Type something first.");
    if (text.length > LETTERS) return say(`Ask about a sentence of at most ${LETTERS} letters; this one has ${text.length.toLocaleString("en")}.`);
    ask(text);
  });
  input.addEventListener("focus", () => { if (live && !live.wanted()) say("Your own sentence loads the model once: 32 MB."); });
  press.addEventListener("click", () => (playing ? stop() : play(state.t)));
  time.addEventListener("input", () => { stop(); state.t = +time.value; tick(); });
  time.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    stop();
    state.t = Math.max(0, Math.min(LAYERS, Math.round(state.t) + step));
    tick();
  });
  all.addEventListener("click", () => { state.all = true; all.hidden = true; show(); });
  if (!chapter) link.addEventListener("click", () => { link.textContent = "The link is in the address bar"; });

  const toggled = (list, some) => (some.every((one) => list.includes(one)) ? list.filter((one) => !some.includes(one)) : [...new Set([...list, ...some])].sort((a, b) => a - b));

  function pressed(element) {
    const data = element.dataset, { off, answer } = state;
    if ("word" in data) { say(""); choose(data.word); start(); }
    else if ("example" in data) { say(""); open(state, state.about.examples[+data.example]); start(); }
    else if ("hide" in data) change({ ...off, hide: toggled(off.hide, data.hide.split(" ").flatMap((j) => Which.whole(answer.tokens, +j))) });
    else if ("head" in data) { state.lamp = +data.head; change({ ...off, mute: toggled(off.mute, [+data.head]) }); }
    else if ("after" in data) change({ ...off, after: off.after === +data.after ? null : +data.after });
    else if ("order" in data) change({ ...off, order: off.order === null ? 0 : off.order + 1 < answer.orders.length ? off.order + 1 : null });
    else if ("back" in data) change(Which.nothing());
    else if ("floor" in data) { stop(); state.t = +data.floor; tick(); }
  }

  view.picture.addEventListener("click", (event) => {
    const element = event.target.closest("[data-word], [data-example], [data-hide], [data-head], [data-after], [data-order], [data-back], [data-floor]");
    if (element && view.picture.contains(element)) pressed(element);
  });
  view.picture.addEventListener("keydown", (event) => {
    const lamp = event.target.closest(".which-lamp"), high = lamp && +lamp.dataset.head % HEADS < HEADS / 2; // in the upper row of its layer
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: high ? 6 : -18, ArrowUp: high ? 18 : -6 }[event.key];
    if (!lamp || !(step || event.key === "Enter" || event.key === " ")) return;
    event.preventDefault();
    if (!step) return pressed(lamp);
    state.lamp = Math.max(0, Math.min(LAYERS * HEADS - 1, +lamp.dataset.head + step));
    view.picture.querySelectorAll(".which-lamp").forEach((one) => one.setAttribute("tabindex", +one.dataset.head === state.lamp ? 0 : -1));
    view.picture.querySelector(`[data-key="head${state.lamp}"]`).focus();
  });
  for (const kind of ["pointerover", "focusin"]) view.picture.addEventListener(kind, (event) => {
    const lamp = event.target.closest(".which-lamp"), use = event.target.dataset && event.target.dataset.use, says = Which.parts(state);
    if (part("machine-says")) part("machine-says").textContent = lamp ? lamp.getAttribute("aria-label") : "";
    if (part("machine-says") && !lamp) part("machine-says").innerHTML = says["machine-says"];
    if (part("map-says")) part("map-says").innerHTML = says["map-says"];
    if (use) part("map-says").textContent = `“${state.about.uses[+use].text}”`;
  });
  addEventListener("resize", () => { if (narrow() !== state.narrow) { state.narrow = narrow(); all.hidden = !state.narrow; show(); } });
}
