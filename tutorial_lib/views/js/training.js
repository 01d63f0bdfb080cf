// A GPT that learns in the page: its loss, what it writes, where its heads look, and one weight followed through a step.
var TOM = "Tom and Ella were the best friends. Tom had a ball. Ella took the ball from Tom.";
var TEXTS = [
  { name: "The book\u2019s stories, word by word", kind: "words", text: "stories", lr: 6e-3, look: TOM, write: "Ella had a dog." },
  { name: "The book\u2019s stories, letter by letter", kind: "characters", text: "stories", lr: 6e-3, look: "Tom had a ball. Tom lost the ball.", write: "Ella had" },
  { name: "Random letters that repeat", kind: "repeats", text: "none", lr: 3e-3, n_heads: 2, context: 32, batch: 32, look: "qzkvbhmqzkvbhmqzkvbhm", write: "qjwxzkqj" },
  { name: "Your own text", kind: "characters", text: "own", lr: 6e-3, look: "", write: "" },
];
var SIZES = [[64, 2], [64, 1], [96, 3]]; // coordinates, layers
var RATES = [1e-4, 3e-4, 1e-3, 2e-3, 3e-3, 6e-3, 0.01, 0.02, 0.05, 0.1, 0.3, 1];
var QUIET = 8000; // milliseconds between two sentences that are read aloud while it trains
var ROWS = 40, SHOWN = 32; // samples that are kept; tokens whose attention is drawn large

function draw(view) {
  var page = view.still ? null : window.tutorialLib, worker = null, which = 0, on = false, told = 0, dirty = false;
  var run = empty(), head = [0, 0], parts = {};
  var chart = TL.svg("svg", { viewBox: "0 0 600 300", role: "img" });
  if (page && page.training) build();
  else view.picture.replaceChildren(chart);
  curve();
  view.say(page && page.training ? "Choose a text and press Train. The model starts from random numbers." : "What counting reaches on the book\u2019s stories. In the book\u2019s pages, a model learns here.");

  function empty() { return { loss: [], held: [], seconds: 0, baselines: view.data.baselines, about: null, found: null, words: null }; }

  // ---- The page asks

  function about() {
    var text = TEXTS[parts.text.value], size = SIZES[parts.size.value];
    return { kind: text.kind, text: text.text, d_model: size[0], n_layers: size[1], n_heads: text.n_heads || 4, context: text.context || 64, batch: text.batch || 16,
      seed: Math.max(0, Math.floor(parts.seed.value) || 0), lr: RATES[parts.rate.value], n_steps: 2000, warmup: 50, std: 0.06 };
  }

  // The worker, once; the first press loads it.
  function trainer() {
    parts.worker = parts.worker || page.training().then(function (made) {
      worker = made.worker;
      worker.onmessage = function (event) { if (event.data.run === which) answers[event.data.kind](event.data); };
      worker.onerror = function (event) { failed("The model cannot be trained in this browser: " + event.message); };
      worker.postMessage(Object.assign({ ask: "book" }, made.book));
      return TL.inflate(made.stories);
    }).then(function (stories) {
      parts.stories = { words: stories, characters: stories.replaceAll("<|endoftext|>", "\n") };
    }).catch(function (error) {
      parts.worker = null; // the next press tries again
      failed(error.message);
      throw error;
    });
    return parts.worker;
  }

  function post(ask, more) { if (worker) worker.postMessage(Object.assign({ ask: ask }, more)); }

  function look() { post("look", { text: parts.look.value }); }

  // Asks the run for something; begins one if there is none.
  async function act(ask, more) {
    var mine = which;
    if (!worker) say("Loading the texts \u2026");
    await trainer();
    if (mine !== which) return; // something else was chosen meanwhile
    if (!run.about) {
      var wanted = about(), text = wanted.text === "own" ? parts.own.value.replace(/\r\n?/g, "\n") : wanted.text === "none" ? "" : parts.stories[wanted.kind];
      if (wanted.text === "own" && !parts.look.value) parts.look.value = text.trim().slice(0, 30).replace(/\s+/g, " ");
      run.about = wanted;
      look();
      post("begin", { about: wanted, text: text, which: ++which });
    }
    post(ask, more);
  }

  function press(ask, more) { act(ask, more).catch(function () {}); } // trainer has said why

  function forget() {
    run = empty();
    head = [0, 0];
    pressed(false);
    post("forget", { which: ++which });
    [parts.rows, parts.grid, parts.map, parts.hand, parts.wrote, parts.pace, parts.headSay].forEach(function (part) { part.replaceChildren(); });
    parts.python.textContent = python(about());
    curve();
  }

  function choose() {
    var text = TEXTS[parts.text.value];
    parts.ownBox.hidden = text.text !== "own";
    parts.rate.value = RATES.indexOf(text.lr);
    parts.rate.dispatchEvent(new Event("input"));
    parts.look.value = text.look;
    parts.begin.value = text.write;
    forget();
    say(text.text === "own" ? "Paste a text or drop a file, 1,000 characters or more. It stays in this page." : "Press Train. The model starts from random numbers.");
  }

  function pressed(now) {
    on = now;
    parts.train.textContent = on ? "Stop" : run.loss.length ? "Go on" : "Train";
  }

  // ---- The worker tells

  var answers = {
    ready: function (found) {
      Object.assign(run, found);
      parts.python.textContent = python(found.about, found.kept);
      say(found.n_weights.toLocaleString("en-US") + (found.is_opened ? " trained numbers from the file, whose steps count from 0 here; " : " random numbers, ") + found.size.toLocaleString("en-US") + " different tokens" + (found.n_tokens ? ", " + found.n_tokens.toLocaleString("en-US") + " tokens to learn from." : "."));
      curve();
    },
    progress: function (found) {
      run.loss.push.apply(run.loss, found.losses);
      run.seconds = found.seconds;
      if (!on) pressed(false); // a single step
      parts.pace.textContent = "Step " + run.loss.length + ", " + run.seconds.toFixed(0) + " s of training, " + (run.loss.length / run.seconds).toFixed(0) + " steps a second, " + run.machine;
      if (on && run.held.length > 1 && performance.now() - told > QUIET) say(sentence());
      later();
    },
    sample: function (found) {
      if (found.held !== null) run.held.push([found.step, found.held]);
      run.words = found.words;
      parts.rows.prepend(TL.el("tr", {}, [TL.el("td", {}, String(found.step)), TL.el("td", {}, found.held === null ? "" : TL.number(found.held)), TL.el("td", {}, found.text.trim())]));
      while (parts.rows.childElementCount > ROWS) parts.rows.lastElementChild.remove();
      if (!on && run.loss.length) say(sentence());
      later();
    },
    look: function (found) {
      run.found = found;
      later();
    },
    followed: function (found) { parts.hand.replaceChildren(byHand(found)); },
    muted: function (found) {
      parts.headSay.textContent = found.before === null ? "The file has no text to measure that on." : "With layer " + found.head[0] + ", head " + found.head[1] + " silenced, the loss on unread text goes from " + TL.number(found.before) + " to " + TL.number(found.after) + ". The head works again now.";
    },
    wrote: function (found) { parts.wrote.append(found.text); },
    saved: function (found) {
      var link = TL.el("a", { href: URL.createObjectURL(new Blob([found.bytes])), download: "my-gpt.safetensors" });
      link.click();
      setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
      say("Saved as my-gpt.safetensors. In Python: GPT.from_pretrained(\"my-gpt.safetensors\").");
    },
    error: function (found) { failed(found.message); },
  };

  function failed(message) {
    if (!run.loss.length && !run.held.length) run.about = null; // the next press begins anew
    pressed(false);
    say(message);
  }

  function say(text) {
    view.say(text);
    told = performance.now();
  }

  // How far it is, beside what counting reaches.
  function sentence() {
    if (!run.held.length) return "Step " + run.loss.length + ".";
    var last = run.held[run.held.length - 1], loss = last[1], guessing = run.baselines.guessing, rate = RATES[parts.rate.value];
    var so = "Step " + last[0] + ": " + TL.number(loss) + " nats a token on text it has not read";
    if (loss > guessing + 0.3) return so + ", worse than guessing. It is sure of wrong tokens" + (rate > 0.01 ? ": with a learning rate of " + rate + " each step overshoots." : ".");
    var beaten = Object.keys(run.baselines).filter(function (name) { return loss < run.baselines[name] - 0.005; }).pop();
    so += ", as unsure as between " + (loss > 4 ? Math.round(Math.exp(loss)).toLocaleString("en-US") : Math.exp(loss).toFixed(1)) + " tokens. " + (beaten ? "It is better than " + beaten + "." : "It is no better than guessing.");
    if (rate > 0.03 && last[0] >= 60) so += " With a learning rate of " + rate + " steps are so long that it learns little more.";
    if (run.words !== null) so += " Of the words it writes, " + Math.round(100 * run.words) + "% occur in the text.";
    if (run.about.kind === "repeats" && run.found) {
      var scores = heads().map(function (one) { return score(one).after; }), best = scores.indexOf(Math.max.apply(null, scores));
      so += " Layer " + heads()[best][0] + ", head " + heads()[best][1] + " looks most at what came after the same letter: " + Math.round(100 * scores[best]) + "%.";
    }
    return so;
  }

  // ---- Drawings

  function later() {
    if (dirty) return;
    dirty = true;
    requestAnimationFrame(function () {
      dirty = false;
      curve();
      if (run.found) attention();
    });
  }

  function curve() {
    var bases = Object.entries(run.baselines), most = Math.max.apply(null, [1].concat(Object.values(run.baselines))), n = Math.max(100, run.loss.length);
    var held = run.held.map(function (one) { return one[1]; }), top = Math.min(2.5 * most, Math.max.apply(null, [1.12 * most].concat(held, run.loss.slice(-200))));
    var x = function (step) { return 34 + (436 * step) / n; }, y = function (loss) { return 262 - (250 * Math.min(loss, top)) / top; }, above = -20;
    function text(at, words, more) { return TL.svg("text", Object.assign({ x: at[0], y: at[1], "font-size": 13 }, more), words); }
    function path(d, more) { return TL.svg("path", Object.assign({ d: d, fill: "none", stroke: "currentColor" }, more)); }
    var every = Math.pow(10, Math.floor(Math.log10(n))) / 2, drawn = [path("M34 8V262H470", { "stroke-opacity": 0.6 }), text([252, 296], "steps", { "text-anchor": "middle" }), text([40, 14], "nats a token")];
    while (n / every > 5) every *= 2;
    for (var step = 0; step <= n; step += every) drawn.push(text([x(step), 279], String(step), { "text-anchor": "middle" }));
    for (var k = 0; k <= top; k += top > 8 ? 2 : 1) drawn.push(text([28, y(k) + 4], String(k), { "text-anchor": "end" }));
    bases.forEach(function (one) {
      above = Math.max(y(one[1]) + 4, above + 15); // labels never overlap
      drawn.push(path("M34 " + y(one[1]).toFixed(1) + "H470", { "stroke-dasharray": "5 4", "stroke-opacity": 0.7 }), text([475, above], one[0]));
    });
    var bin = Math.max(1, Math.floor(run.loss.length / 300)), points = [];
    for (var i = 0; i < run.loss.length; i += bin) {
      var some = run.loss.slice(i, i + bin);
      points.push(x(i + some.length / 2).toFixed(1) + " " + y(some.reduce(function (a, b) { return a + b; }, 0) / some.length).toFixed(1));
    }
    if (points.length) drawn.push(path("M" + points.join("L"), { "class": "tl-batches" }));
    if (held.length) drawn.push(path("M" + run.held.map(function (one) { return x(one[0]).toFixed(1) + " " + y(one[1]).toFixed(1); }).join("L"), { "class": "tl-held" }),
      TL.svg("circle", { cx: x(run.held[held.length - 1][0]), cy: y(held[held.length - 1]), r: 4, "class": "tl-held" }));
    chart.replaceChildren.apply(chart, drawn);
    chart.setAttribute("aria-label", "The loss by steps. " + bases.map(function (one) { return one[0] + ": " + TL.number(one[1]); }).join(", ") + (held.length ? ". On unread text it is " + TL.number(held[held.length - 1]) + "." : "."));
  }

  function heads() {
    var per = run.about.n_heads;
    return run.found.weights.flatMap(function (_, layer) { return numbersTo(per).map(function (h) { return [layer, h]; }); });
  }

  function numbersTo(n) { return Array.from({ length: n }, function (_, i) { return i; }); }

  function weight(one, t, s) {
    var n = run.found.tokens.length;
    return run.found.weights[one[0]][(one[1] * n + t) * n + s];
  }

  // Of a head's attention, how much is on the token before; and, at tokens that have come before, on what came after them.
  function score(one) {
    var tokens = run.found.tokens, before = 0, after = 0, again = 0;
    tokens.forEach(function (token, t) {
      if (t) before += weight(one, t, t - 1) / (tokens.length - 1);
      var same = tokens.slice(0, Math.max(0, t - 1)).flatMap(function (other, s) { return other === token ? [s] : []; });
      again += same.length > 0;
      same.forEach(function (s) { after += weight(one, t, s + 1); });
    });
    return { before: before, after: again ? after / again : 0, again: again };
  }

  function attention() {
    var tokens = run.found.tokens, n = tokens.length, all = heads();
    if (parts.grid.childElementCount !== all.length) parts.grid.replaceChildren.apply(parts.grid, all.map(function (one) {
      var button = TL.el("button", { type: "button" }, [TL.el("canvas", { "aria-hidden": "true" }), "layer " + one[0] + ", head " + one[1]]);
      button.addEventListener("click", function () {
        head = one;
        parts.headSay.textContent = "";
        attention();
      });
      return button;
    }));
    all.forEach(function (one, i) {
      var button = parts.grid.children[i], canvas = button.firstChild;
      button.setAttribute("aria-pressed", String(one[0] === head[0] && one[1] === head[1]));
      canvas.width = canvas.height = n || 1;
      if (!n) return;
      var context = canvas.getContext("2d"), image = context.createImageData(n, n);
      for (var k = 0; k < n * n; k++) image.data.set([190, 76, 148, 255 * Math.sqrt(run.found.weights[one[0]][one[1] * n * n + k])], 4 * k);
      context.putImageData(image, 0, 0);
    });
    large(tokens.slice(0, SHOWN));
  }

  function large(tokens) {
    var n = tokens.length, side = 300 / Math.max(n, 8), size = Math.min(13, side * 0.95), drawn = [], found = score(head);
    tokens.forEach(function (token, t) {
      var name = shown(token);
      drawn.push(TL.svg("text", { x: 72, y: (t + 0.8) * side, "text-anchor": "end", "font-size": size }, name));
      drawn.push(TL.svg("text", { transform: "translate(" + (76 + (t + 0.8) * side) + " " + (n * side + 4) + ") rotate(-90)", "text-anchor": "end", "font-size": size }, name));
      for (var s = 0; s <= t; s++) if (weight(head, t, s) > 0.01) drawn.push(TL.svg("rect", { x: 76 + s * side, y: t * side, width: side, height: side, "fill-opacity": weight(head, t, s).toFixed(2) }));
    });
    var says = "Layer " + head[0] + ", head " + head[1] + ": " + Math.round(100 * found.before) + "% of its attention is on the token before" +
      (found.again ? "; where a token comes again, " + Math.round(100 * found.after) + "% is on what came after it the last time." : ".");
    parts.map.setAttribute("viewBox", "0 0 380 " + (n * side + 75));
    parts.map.setAttribute("aria-label", says);
    parts.map.replaceChildren.apply(parts.map, drawn);
    parts.mapSay.textContent = n ? "A row looks at columns. " + says : "Type a text that has tokens of the vocabulary.";
  }

  function shown(token) { return token.replace(/\n/g, "\u23ce").replace(/^ (?=.)/, "").replace(/^ $/, "\u2423"); }

  // One step, in numbers that a pocket calculator can follow.
  function byHand(found) {
    function exact(x) { return Number(x.toPrecision(5)).toString().replace("-", "\u2212"); }
    var length = (found.rate * found.mean) / (Math.sqrt(found.mean_square) + 1e-8);
    var rows = [
      ["It has read", "\u2026" + found.read], ["and should say", shown(found.right)], ["p, the probability that it gave", exact(found.p)], ["loss of this token, \u2212log p", exact(-Math.log(found.p))],
      ["push on its score, 1 \u2212 p", exact(1 - found.p)], ["one weight: number " + found.k + " of this token\u2019s row in the table", exact(found.before)],
      ["gradient g of the loss of the whole batch", exact(found.gradient)], ["g, clipped (times " + exact(found.share) + ")", exact(found.gradient * found.share)],
      ["running mean m of g", exact(found.mean)], ["root of the running mean of g\u00b2, \u221av", exact(Math.sqrt(found.mean_square))], ["learning rate \u03b7 of this step", exact(found.rate)],
      ["the nudge, \u2212\u03b7 m / \u221av", exact(-length)], ["weight decay, \u2212\u03b7 \u00b7 " + found.decay + " \u00b7 weight", exact(-found.rate * found.decay * found.before)], ["the weight after the step", exact(found.after)], ["p after the step", exact(found.p_after)],
    ];
    return TL.el("table", { "class": "tl-hand" }, [TL.el("caption", {}, "Step " + run.loss.length + ", by hand"), TL.el("tbody", {}, rows.map(function (row) {
      return TL.el("tr", {}, [TL.el("th", { scope: "row" }, row[0]), TL.el("td", {}, row[1])]);
    }))]);
  }

  // The lines of views/training.py with this run's numbers.
  function python(of, kept) {
    var values = Object.assign({ d_ff: 4 * of.d_model }, of);
    return [of.text === "own" ? "own" : of.kind, kept && "rare", of.kind === "characters" && "numbers", of.kind !== "repeats" && "held", "run"].filter(Boolean).map(function (name) {
      return view.data.python[name].replace(/\{(\w+)\}/g, function (_, key) { return values[key]; });
    }).join("\n\n");
  }

  // ---- What the reader can press

  function build() {
    function button(name, acts, into) {
      var made = TL.el("button", { type: "button" }, name);
      made.addEventListener("click", acts);
      into.append(made);
      return made;
    }
    function box(name, attributes) { return TL.el("label", {}, [name + " ", parts[attributes.key] = TL.el(attributes.tag || "input", { type: "text", autocomplete: "off", spellcheck: "false" })]); }
    parts.text = TL.select(view, "Text", TEXTS.map(function (text) { return text.name; }), 0, choose);
    parts.size = TL.select(view, "Size", SIZES.map(function (size) { return size[0] + " coordinates, " + size[1] + (size[1] > 1 ? " layers" : " layer"); }), 0, forget);
    view.controls.append(TL.el("label", {}, ["Seed ", parts.seed = TL.el("input", { type: "number", min: 0, max: 9999, value: 0 })]));
    parts.seed.addEventListener("change", forget);
    parts.rate = TL.range(view, "Learning rate", { min: 0, max: RATES.length - 1, value: RATES.indexOf(TEXTS[0].lr) }, function (i) { return String(RATES[i]); }, function () {
      post("rate", { lr: RATES[parts.rate.value] });
      if (!run.about) parts.python.textContent = python(about());
    });
    parts.train = button("Train", function () {
      press(on ? "stop" : "train");
      pressed(!on);
    }, view.controls);
    button("One step", function () {
      pressed(false);
      press("step");
    }, view.controls);
    button("Forget", function () {
      forget();
      say("Forgotten. The next press starts from random numbers.");
    }, view.controls);
    parts.ownBox = box("Your text, which never leaves this page", { key: "own", tag: "textarea" });
    parts.own.addEventListener("input", forget);
    parts.own.addEventListener("dragover", function (event) { event.preventDefault(); });
    parts.own.addEventListener("drop", async function (event) {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      parts.own.value = await event.dataTransfer.files[0].slice(0, 9e6).text();
      forget();
      say("The file is here. Press Train.");
    });
    parts.rows = TL.el("tbody", {});
    parts.pace = TL.el("p", { "class": "tl-small" });
    parts.grid = TL.el("div", { "class": "tl-heads", role: "group", "aria-label": "Heads" });
    parts.map = TL.svg("svg", { role: "img", "aria-label": "Attention", viewBox: "0 0 380 10" });
    parts.mapSay = TL.el("p", { "class": "tl-small" });
    parts.headSay = TL.el("p", { role: "status", "class": "tl-small" });
    parts.hand = TL.el("div", {});
    parts.wrote = TL.el("p", { "class": "tl-wrote" });
    parts.python = TL.el("code", {}, "");
    var silence = TL.el("p", {}), writing = TL.el("p", { "class": "tl-row" }, box("Write on from", { key: "begin" })), files = TL.el("p", { "class": "tl-row" });
    var looking = box("Where its heads look, in", { key: "look" }), open = TL.el("input", { type: "file", accept: ".safetensors" });
    parts.look.addEventListener("input", look);
    button("Silence this head", function () { press("mute", { head: head }); }, silence);
    button("Write", function () {
      parts.wrote.textContent = parts.begin.value;
      press("write", { text: parts.begin.value, count: about().kind === "words" ? 60 : 200 });
    }, writing);
    button("Save the model", function () { press("save"); }, files);
    files.append(TL.el("label", {}, ["Open a saved one ", open]));
    open.addEventListener("change", async function () {
      if (!open.files.length) return;
      var bytes = await open.files[0].arrayBuffer();
      forget();
      await trainer();
      run.about = about();
      post("open", { bytes: bytes, stories: parts.stories, which: ++which });
    });
    view.controls.after(view.root.querySelector(".tl-say"));
    view.picture.replaceChildren(parts.ownBox, parts.pace, TL.el("div", { "class": "tl-two" }, [
      TL.el("div", {}, [chart, TL.el("div", { "class": "tl-samples", tabindex: 0, role: "region", "aria-label": "What it writes, the newest first" },
        TL.el("table", {}, [TL.el("thead", {}, TL.el("tr", {}, ["step", "loss", "what it writes, with the same dice"].map(function (name) { return TL.el("th", { scope: "col" }, name); }))), parts.rows])), writing, parts.wrote, parts.hand]),
      TL.el("div", {}, [looking, parts.grid, parts.map, parts.mapSay, silence, parts.headSay]),
    ]), files, TL.el("details", {}, [TL.el("summary", {}, "The same run in Python"), TL.el("pre", { tabindex: 0 }, parts.python), TL.el("p", {}, "The same first weights, the same batches and the same losses, up to rounding, as long as the learning rate is not moved.")]));
    parts.look.value = TEXTS[0].look;
    parts.begin.value = TEXTS[0].write;
    parts.ownBox.hidden = true;
    parts.python.textContent = python(about());
  }
}
