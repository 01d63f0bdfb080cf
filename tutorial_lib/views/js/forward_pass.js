// One text through the machine, in eight stages; t counts them: 2.5 is the third stage, half drawn.
var SECONDS = 4; // a stage, when played
var HEIGHT = 10; // of a strip's longest bar
var STEPS = ["attention.output", "attention_norm", "feed_forward"]; // of layer 0, before its output
var NEAREST = 8; // of the book's texts that are shown beside the reader's

function draw(view) {
  TL.inflate(view.data.runs).then(function (text) { start(view, JSON.parse(text)); });
}

function start(view, shared) {
  var stages = view.data.stages, runs = shared.runs, heads = shared.heads, d = shared.d_k;
  var onPages = !!document.documentElement.dataset.theme; // elsewhere, as in Colab, the chapters are not beside
  var still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  var run, t = view.data.start, shown = -1, update = null, timer = null, before = 0;
  runs.forEach(function (one) {
    one.query = unpack(one.q, heads);
    one.keys = unpack(one.k, heads);
  });

  var which = TL.select(view, "Text", runs.map(function (one) { return one.text; }), 0, choose);
  var token = TL.select(view, "Token", [], 0, redraw);
  var head = TL.select(view, "Head", numbers(heads), 0, redraw);
  var play = TL.el("button", { type: "button", "class": "tl-play" }, "Play");
  var range = TL.el("input", { type: "range", min: 0, max: stages.length, step: 0.05, "aria-label": "Stage" });
  var tabs = stages.map(function (stage, s) {
    var tab = TL.el("button", { type: "button", title: stage[0] }, String(s + 1));
    tab.addEventListener("click", function () { stop(); go(s + 1); });
    return tab;
  });
  var title = TL.el("p", { "class": "tl-title" }), box = TL.el("div", { "class": "tl-rows" });
  var track = TL.el("div", { "class": "tl-track" }, [play, TL.el("div", {}, [range, TL.el("div", { "class": "tl-tabs" }, tabs)])]);
  play.addEventListener("click", function () { timer ? stop() : roll(); });
  range.addEventListener("input", function () { stop(); go(+range.value); });
  view.picture.replaceChildren(track, title, view.root.querySelector(".tl-say"), box); // a stage is told above what it shows

  function choose() {
    run = runs[+which.value];
    token.replaceChildren.apply(token, run.tokens.map(function (name, i) { return TL.el("option", { value: i }, i + ": " + name); }));
    token.value = run.token;
    head.value = run.head;
    box.style.minHeight = 22 * (run.tokens.length + 4) + "px"; // the page below stays where it is
    redraw();
  }

  function redraw() {
    shown = -1;
    go(t);
  }

  function go(to) {
    var s = Math.min(stages.length - 1, Math.max(0, Math.ceil(to) - 1));
    t = to;
    range.value = t;
    range.setAttribute("aria-valuetext", "Stage " + (s + 1) + ": " + stages[s][0]);
    if (s !== shown) {
      shown = s;
      box.replaceChildren();
      update = DRAW[s]();
      tabs.forEach(function (tab, i) { i === s ? tab.setAttribute("aria-current", "step") : tab.removeAttribute("aria-current"); });
      title.replaceChildren(TL.el("b", {}, s + 1 + ". " + stages[s][0]));
      if (onPages) stages[s][1].forEach(function (chapter) { title.append(" ", TL.el("a", { href: chapter[0] + ".html" }, chapter[1])); });
      view.say(tell(s));
    }
    update(t - s);
  }

  function roll() {
    if (t >= stages.length) go(0);
    play.textContent = "Pause";
    view.root.querySelector(".tl-say").setAttribute("aria-live", "off"); // eight sentences in a row are no help
    before = performance.now();
    timer = still ? setInterval(function () { advance(1); }, SECONDS * 1000) : requestAnimationFrame(step);
  }

  function step(now) {
    timer = requestAnimationFrame(step);
    advance(Math.min(now - before, 100) / 1000 / SECONDS);
    before = now;
  }

  function advance(by) {
    go(Math.min(stages.length, still ? Math.floor(t) + 1 : t + by));
    if (t >= stages.length) stop();
  }

  function stop() {
    if (!timer) return;
    still ? clearInterval(timer) : cancelAnimationFrame(timer);
    timer = null;
    play.textContent = "Play";
    view.root.querySelector(".tl-say").setAttribute("aria-live", "polite");
  }

  // A row: its name, strips of bars, a number; returned is a function that draws it in, from 0 to 1.
  function row(name, strips, text, kind) {
    var parts = TL.el("div", { "class": "tl-strips" }, strips);
    var number = TL.el("span", { "class": "tl-number" }, text == null ? "" : text);
    var line = TL.el("div", { "class": "tl-row " + (kind || "") }, [TL.el("span", { "class": "tl-name" }, name), parts, number]);
    box.append(line);
    return function (p) { parts.style.opacity = number.style.opacity = Math.min(1, Math.max(0, p)); };
  }

  // The rows of all tokens; each leads to itself.
  function tokenRows(make) {
    return run.tokens.map(function (name, j) {
      var button = TL.el("button", { type: "button", "aria-pressed": String(j === +token.value), title: "Follow " + name }, name);
      button.addEventListener("click", function () {
        token.value = j;
        redraw();
      });
      return make(button, j);
    });
  }

  // Rows appear one after the other while p goes from 0 to 1.
  function inOrder(rows) {
    return function (p) { rows.forEach(function (one, j) { one(p * rows.length - j); }); };
  }

  function ofHead(strip) { return strip.slice(+head.value * d, (+head.value + 1) * d); }
  function q() { return run.query(0, +head.value).subarray(+token.value * d, (+token.value + 1) * d); }
  function k(j) { return run.keys(0, +head.value).subarray(j * d, j * d + d); }
  function products() {
    var asks = q();
    return run.tokens.map(function (_, j) { return k(j).reduce(function (sum, x, c) { return sum + x * asks[c]; }, 0); });
  }
  function weights(p) { return TL.softmax(products().map(function (x) { return p * x / Math.sqrt(d); })); }

  var DRAW = [
    function () {
      var chips = run.tokens.map(function (name, j) {
        return TL.el("li", { "class": "tl-chip" + (/^\[/.test(name) ? " tl-added" : "") }, [name, TL.el("span", {}, String(run.ids[j]))]);
      });
      box.append(TL.el("p", { "class": "tl-sentence" }, run.text), TL.el("ol", { "class": "tl-chips" }, chips));
      return function (p) {
        chips.forEach(function (chip, j) { chip.style.opacity = Math.min(1, Math.max(0, p * chips.length - j)); });
      };
    },
    function () {
      var i = +token.value, made = "tl-embedding";
      var parts = [
        row("its token", [strip(run.rows[i])], "", made), row("+ position", [strip((run.positions || shared.positions)[i])], "", made),
        row("+ segment", [strip(shared.segment)], "", made)];
      return inOrder(parts.concat(tokenRows(function (button, j) { return row(button, [strip(run.layers[0][j])], "", made); })));
    },
    function () {
      var asks = q(), all = Array.from(run.tokens, function (_, j) { return k(j); }), sums = products();
      var top = most(asks, all.reduce(function (x, key) { return most(key, x); }, 0)) || 1;
      var met = all.map(function (key) { return key.map(function (x, c) { return x * asks[c]; }); });
      var topMet = met.reduce(function (x, one) { return most(one, x); }, 0) || 1;
      row("its query, q", [TL.el("div", { "class": "tl-query" }, bars(asks, top)), TL.el("span", {}, "q \u00d7 k")], "q \u00b7 k");
      return inOrder(tokenRows(function (button, j) {
        return row(button, [TL.el("div", { "class": "tl-key" }, bars(all[j], top)), TL.el("div", {}, bars(met[j], topMet))], number(sums[j]));
      }));
    },
    function () {
      var sums = products();
      row("key", [TL.el("span", {}, "q \u00b7 k \u00f7 \u221a" + d)], "weight");
      var lines = tokenRows(function (button, j) {
        var bar = TL.el("i", { "class": "tl-weight" }), shownWeight = TL.el("b", {});
        row(button, [TL.el("span", { "class": "tl-score" }, number(sums[j] / Math.sqrt(d))), bar], shownWeight);
        return function (weight) {
          bar.style.width = 100 * weight + "%";
          shownWeight.textContent = weight.toFixed(3);
        };
      });
      return function (p) { weights(p).forEach(function (weight, j) { lines[j](weight); }); }; // from all alike to the softmax
    },
    function () {
      var all = weights(1), place = TL.el("div", { "class": "tl-value" }), v = run.v.map(function (strip) { return levels(ofHead(strip)); });
      var rows = tokenRows(function (button, j) {
        var value = TL.el("div", { "class": "tl-value" }, bars(v[j], HEIGHT));
        value.style.opacity = 0.15 + 0.85 * all[j];
        return row(button, [value, TL.el("div", {}, TL.el("i", { "class": "tl-weight", style: "width:" + 100 * all[j] + "%" }))], all[j].toFixed(3));
      });
      row("their sum", [place], "", "tl-sum");
      var appear = inOrder(rows);
      return function (p) {
        var until = p * rows.length + 1e-9, sum = new Array(d).fill(0);
        v.forEach(function (value, j) {
          if (j < until) value.forEach(function (x, c) { sum[c] += all[j] * x * Math.min(1, until - j); });
        });
        place.replaceChildren(bars(sum, HEIGHT));
        appear(p);
      };
    },
    function () {
      var i = +token.value;
      return inOrder([["what went in", run.layers[0][i], "tl-embedding"], ["+ attention", run.steps[0][i], "tl-attention"], ["LayerNorm", run.steps[1][i], ""],
        ["+ feed-forward", run.steps[2][i], "tl-forward"], ["LayerNorm, out", run.layers[1][i], ""]].map(function (one) {
        return row(one[0], [strip(one[1])], "", one[2] + " tl-tall");
      }));
    },
    function () {
      return inOrder(run.layers.map(function (layer, l) {
        return row(l ? "after layer " + (l - 1) : "what went in", [strip(layer[+token.value])], number(run.cosines[l][+token.value]), l ? "tl-tall" : "tl-tall tl-embedding");
      }));
    },
    function () {
      var rows = [row("this text", [strip(run.end)], run.others.length ? "cosine" : "")];
      return inOrder(rows.concat(run.others.map(function (pair) {
        return row(pair[0], [TL.el("i", { "class": "tl-weight", style: "width:" + 100 * Math.max(0, pair[1]) + "%" })], number(pair[1]), "tl-text");
      })));
    },
  ];

  function tell(s) {
    var i = +token.value, name = nameOf(run.tokens, i), sums = products(), all = weights(1), best = largest(all, 1)[0], to = nameOf(run.tokens, best);
    var cosines = run.cosines.slice(1).map(function (layer) { return number(layer[i]); });
    var pieces = run.tokens.some(function (one) { return one.slice(0, 2) === "##"; }) ? " A word that the vocabulary lacks is cut into pieces." : "";
    return [
      run.tokens.length + " tokens: [CLS] and [SEP] are added." + pieces + " Each has a number, its row in a table.",
      name + ": row " + run.ids[i] + " of the table of tokens, plus row " + i + " of the positions, plus its segment\u2019s; then LayerNorm. " + heads * d +
        " numbers, each a bar.",
      "Layer 0, head " + head.value + ": the query of " + name + " meets the key of every token. The largest q \u00b7 k is " + number(sums[best]) + ", with " + to + ".",
      name + " gives " + all[best].toFixed(2) + " of its attention to " + to + ". The weights add up to 1: softmax makes them from the scores, divided by \u221a" + d + ".",
      "Each token\u2019s value counts by its weight. Their sum, " + d + " numbers, is what head " + head.value + " hands to " + name + "; " + heads + " heads make " +
        heads * d + ".",
      "What attention brings is added to " + name + "; so is what the feed-forward network makes of that. The new vector\u2019s cosine to the old one: " +
        cosines[0] + ".",
      "The same in each layer, with other matrices. Cosine of " + name + " to the vector that went in: " + cosines.join(", ") + ".",
      "The mean of all its tokens\u2019 last vectors stands for the text." + (run.others.length ? " The nearest of " +
        (run.among ? "the book\u2019s " + run.among : run.others.length + " other") + " texts: \u201c" + run.others[0][0] + "\u201d" : ""),
    ][s];
  }

  var wanted = ["embeddings.tokens", "embeddings.positions", "embeddings.output"].concat(
    ["attention.queries", "attention.keys", "attention.values", "attention.weights"].concat(STEPS).map(function (name) { return "layer.0." + name; }),
    runs[0].layers.slice(1).map(function (_, l) { return "layer." + l + ".output"; }));
  var place = runs.length; // of the reader's text among those to choose

  async function own(text, live, current) {
    var trace = await live.trace(text, { stops: wanted }), near = await live.nearest(text, NEAREST);
    if (!current()) return "";
    stop();
    runs[place] = fromTrace(text, trace, near, heads, +head.value);
    which.options[place] = new Option(text, place);
    which.value = place;
    choose();
    return TL.cut(trace);
  }

  choose();
  view.controls.hidden = false; // they came late: the texts travel deflated
  TL.live(view, "Your sentence", own);
}

// What Python's _run gives of a text, from the values of a live model.
function fromTrace(text, trace, near, heads, head) {
  var stops = trace.stops, n = trace.tokens.length, layers = [stops["embeddings.output"]];
  while (stops["layer." + (layers.length - 1) + ".output"]) layers.push(stops["layer." + (layers.length - 1) + ".output"]);
  var d = layers[0].shape[1], first = rowsOf(layers[0]);
  function ofHead(stop) {
    var values = stops["layer.0.attention." + stop].values, size = values.length / heads;
    return function (_, head) { return values.subarray(head * size, (head + 1) * size); };
  }
  var values = stops["layer.0.attention.values"], d_k = d / heads;
  var sideBySide = Array.from({ length: n }, function (_, i) {
    return Array.from({ length: d }, function (_, c) { return values.values[(Math.floor(c / d_k) * n + i) * d_k + c % d_k]; });
  });
  return {
    text: text, tokens: trace.tokens, ids: trace.ids, token: askingWord(trace.tokens, ofHead("weights")(0, head)), head: head, query: ofHead("queries"), keys: ofHead("keys"), v: strips(sideBySide),
    rows: strips(rowsOf(stops["embeddings.tokens"])), positions: strips(rowsOf(stops["embeddings.positions"])),
    steps: STEPS.map(function (name) { return strips(rowsOf(stops["layer.0." + name])); }),
    layers: layers.map(function (layer) { return strips(rowsOf(layer)); }),
    cosines: layers.map(function (layer) { return rowsOf(layer).map(function (x, i) { return TL.cosine(x, first[i]); }); }),
    end: strips([near.vector])[0], others: near.texts, among: near.among,
  };
}

function rowsOf(stop) {
  return Array.from({ length: stop.shape[0] }, function (_, i) { return stop.values.subarray(i * stop.shape[1], (i + 1) * stop.shape[1]); });
}

// As machine.py's _strips: the longest 2 % of the bars are cut.
function strips(rows) {
  var sizes = Float64Array.from(rows.flatMap(function (row) { return Array.from(row, Math.abs); })).sort();
  var place = 0.98 * (sizes.length - 1), below = Math.floor(place), above = Math.min(below + 1, sizes.length - 1);
  var top = sizes[below] + (place - below) * (sizes[above] - sizes[below]) || 1;
  return rows.map(function (row) {
    return Array.from(row, function (x) { return String.fromCharCode(75 + Math.round(HEIGHT * Math.max(-1, Math.min(1, x / top)))); }).join("");
  });
}

// A strip's letters are heights, from -HEIGHT to HEIGHT.
function levels(letters) {
  return Array.from(letters, function (letter) { return letter.charCodeAt(0) - 75; });
}

function strip(letters) {
  return TL.el("div", {}, bars(levels(letters), HEIGHT));
}

