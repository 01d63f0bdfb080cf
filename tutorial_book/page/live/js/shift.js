// A text moved along, read by two decoders. First what was prepared is shown, later what
// the page computes of the reader's text, and then a single token can be moved.
function draw(view) {
  var data = view.data, turn = 0, range = null, menu = null, mine = null; // mine: the reader's text with what the page computed of it
  var example = tokensOf(data.ids), sides = data.names.map(function (name) { return TL.el("section", { "aria-label": name }); });
  var asked = TL.el("p", { "class": "tl-asked" }, ["Begin a story: ", TL.el("b", {}, data.text)]);
  view.picture.replaceChildren(asked, TL.el("div", { "class": "tl-two" }, sides));
  show(0, -1, prepared(0));
  if (!view.still) controls();

  function controls() {
    range = TL.range(view, "places moved by", { min: 0, max: data.most, value: 0 }, String, move);
    if (!data.live || !TL.live(view, [["Begin a story", data.text, true]], answer, data.live[0])) return;
    asked.remove(); // it is in the box
    var note = view.root.querySelector(".tl-live [role=status]");
    note.textContent = note.textContent.replace("the model: 2 MB", "both models: 4 MB");
  }

  // The tokens as names of rows: the first word has no space before it, and is a whole one yet.
  function tokensOf(ids) {
    return ids.map(function (id, place) { return !place ? "(start)" : spoken(place === 1 ? " " + data.pieces[id].trimStart() : data.pieces[id]); });
  }

  async function answer(texts, live, current) {
    var text = data.start + texts[0], first = [];
    for (var name of data.live) first.push(await reading(live, name, text, null));
    if (!current()) return "";
    mine = { live: live, text: text, first: first, tokens: tokensOf(Array.from(first[0].ids)) };
    choices();
    await move();
    return [TL.cut(first[0]), "This page computes with 8-bit weights. In the example, at all places, no probability is further than " +
      (Math.ceil(data.off * 1e3) / 1e3).toFixed(3) + " from Python’s."].filter(Boolean).join(" ");
  }

  // Which token moves.
  function choices() {
    if (menu) menu.parentElement.remove();
    menu = TL.select(view, "What moves", ["all tokens"].concat(mine.tokens), 0, move);
    view.controls.prepend(menu.parentElement);
  }

  async function move() {
    var k = +range.value, token = menu ? menu.value - 1 : -1, now = ++turn;
    var both = mine ? await computed(k, token) : prepared(k);
    if (now === turn) show(k, token, both);
  }

  function prepared(k) {
    return data.states.map(function (states, i) { return data.change[i][k] === undefined ? null : { state: states[Math.min(k, states.length - 1)], change: data.change[i][k] }; });
  }

  async function computed(k, token) {
    var places = mine.tokens.map(function (_, i) { return token < 0 || token === i ? i + k : i; }), both = [];
    for (var i = 0; i < 2; i++) {
      if (!i && Math.max.apply(null, places) >= data.rows) both.push(null);
      else both.push(stateOf(await reading(mine.live, data.live[i], mine.text, places), mine.first[i], token < 0 ? places.length - 1 : token));
    }
    return both;
  }

  async function reading(live, name, text, places) {
    var stops = ["logits"].concat(Array.from({ length: data.layers }, function (_, i) { return "layer." + i + ".attention.weights"; }));
    var trace = await live.trace(text, { model: name, stops: stops, places: places }), logits = trace.stops.logits, size = logits.shape[1];
    return Object.assign(trace, { p: TL.softmax(Array.from(logits.values.slice(-size))), weights: stops.slice(1).map(function (stop) { return trace.stops[stop]; }) });
  }

  function stateOf(read, first, own) {
    var n = mine.tokens.length, p = read.p, looks = Array(n).fill(0);
    read.weights.forEach(function (weights) {
      var heads = weights.shape[0];
      for (var h = 0; h < heads; h++)
        for (var j = 0; j < n; j++) looks[j] += weights.values[(h * n + own) * n + j] / heads / data.layers;
    });
    var best = p.map(function (_, i) { return i; }).sort(function (a, b) { return p[b] - p[a] || a - b; }).slice(0, 5);
    return {
      state: { next: best.map(function (i) { return [i, p[i]]; }), looks: looks.slice(0, own + 1) },
      change: p.reduce(function (most, x, i) { return Math.max(most, Math.abs(x - first.p[i])); }, 0),
    };
  }

  function show(k, token, both) {
    sides.forEach(function (side, i) { side.replaceChildren.apply(side, panel(data.names[i], both[i])); });
    view.say(k ? moved(k, token, both) : "Each token at its place: \u201c" + top(both[0]) + " with learned positions, " + TL.number(both[0].state.next[0][1]) + ", \u201c" +
      likeliest(both[1]) + "\u201d with rotary ones, " + TL.number(both[1].state.next[0][1]) + ".");
  }

  function likeliest(one) { return spoken(data.pieces[one.state.next[0][0]]); }

  function top(one) { return likeliest(one) + "\u201d is likeliest"; }

  function panel(name, one) {
    var title = TL.el("p", { "class": "tl-unit" }, [TL.el("b", {}, name + "."), one ? " What comes next" : " The table has no row for such a place: it ends at " + (data.rows - 1) + "."]);
    if (!one) return [title];
    var tokens = mine ? mine.tokens : example, looks = one.state.looks;
    function bars(rows) { return drawn({ kind: "bars", rows: rows }); }
    return [title].concat(bars(one.state.next.map(function (next) { return [spoken(data.pieces[next[0]]), next[1]]; })),
      TL.el("p", { "class": "tl-unit" }, "Where \u201c" + tokens[looks.length - 1] + "\u201d looks, the mean of all heads"),
      bars(looks.map(function (x, j) { return [tokens[j], x]; })));
  }

  function moved(k, token, both) {
    var who = token < 0 ? "All tokens" : "“" + mine.tokens[token] + "” alone";
    return who + " " + k + (k === 1 ? " place" : " places") + " further: with learned positions " + told(both[0]) + "; with rotary ones " + told(both[1]) + ".";
  }

  // What the change of a reading is, in words.
  function told(one) {
    if (!one) return "the table ends before";
    if (one.change >= 0.005) return "a probability moves by " + TL.number(one.change) + ", and “" + top(one);
    return "no probability moves by as much as " + Math.pow(10, Math.ceil(Math.log10(Math.max(one.change, 1e-7)) + 1e-9)).toFixed(7).replace(/0+$/, "");
  }
}
