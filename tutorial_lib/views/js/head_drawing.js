// The drawing of the head view, which the model view shows too.
var WIDTH = 360, TOP = 22, ROW = 24, LEFT = 134, RIGHT = 226, LEVELS = 10;

var CROWD = 0.2; // of several heads at once only weights from here on are drawn, until a token is pointed at

// Lines between two columns of tokens. show({layer, heads, least, from, to}) draws; tell(text) gets it in words. still: nothing
// can be pointed at.
function headPicture(data, tell, still) {
  var keys = data.keys || data.tokens, at = unpack(data.weights, data.heads), n = data.tokens.length, m = keys.length;
  var state = { layer: 0, heads: [0], least: 0, from: null, to: null }, weights = [], pinned = null, pointed = null;
  // One unit across is from column to column, one unit down is a row: so the paths stay short.
  var lines = TL.svg("g", { transform: "translate(" + LEFT + " " + (TOP + ROW / 2) + ") scale(" + (RIGHT - LEFT) + " " + ROW + ")" });
  var marks = TL.svg("g", {});
  var queries = column("query", data.tokens), answers = column("key", keys);
  var tokens = queries.concat(answers);
  var svg = TL.svg("svg", { "class": "tl-lines", role: still ? "img" : "group", viewBox: "0 0 " + WIDTH + " " + (TOP + ROW * Math.max(n, m) + 4) }, [
    TL.svg("text", { x: 130, y: 12, "text-anchor": "end", "class": "tl-side" }, "query"),
    TL.svg("text", { x: 230, y: 12, "class": "tl-side" }, "key"), lines, marks,
    group("Queries: the tokens that attend", queries), group("Keys: the tokens attended to", answers),
  ]);
  if (!still) controls();

  function group(label, tokens) { return TL.svg("g", still ? {} : { role: "group", "aria-label": label }, tokens); }

  function column(side, names) {
    var x = side === "query" ? 28 : RIGHT, textX = side === "query" ? 130 : 230;
    return names.map(function (name, i) {
      var y = TOP + ROW * i, short = shorten(name), text = { x: textX, y: y + 16 };
      if (side === "query") text["text-anchor"] = "end";
      var token = TL.svg("g", {}, TL.svg("text", text, short));
      if (!still) token.prepend(TL.svg("rect", { x: x, y: y + 1, width: LEFT - 28, height: ROW - 2, rx: 3 }));
      if (short !== name) token.append(TL.svg("title", {}, name));
      return token;
    });
  }

  function controls() {
    tokens.forEach(function (token, place) {
      var label = place < n ? "query " + place + ": " + data.tokens[place] : "key " + (place - n) + ": " + keys[place - n];
      TL.fill(token, { role: "button", "aria-pressed": "false", "aria-label": label });
      ["pointerenter", "focus"].forEach(function (kind) { token.addEventListener(kind, function () { point(place); }); });
      ["pointerleave", "blur"].forEach(function (kind) { token.addEventListener(kind, function () { point(null); }); });
      token.addEventListener("click", function () { pin(place); });
      token.addEventListener("keydown", function (event) {
        if (event.key === "Escape") pin(null);
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        pin(place);
      });
    });
    rove(tokens, function (i, key) {
      var first = i < n ? 0 : n, last = i < n ? n - 1 : n + m - 1;
      return { ArrowUp: Math.max(first, i - 1), ArrowDown: Math.min(last, i + 1), Home: first, End: last,
        ArrowRight: i < n ? n + Math.min(i, m - 1) : i, ArrowLeft: i < n ? i : Math.min(i - n, n - 1) }[key];
    });
  }

  function point(place) { pointed = place; if (pinned === null) draw(); }

  function pin(place) {
    pinned = place === pinned ? null : place;
    if (!still) tokens.forEach(function (token, i) { token.setAttribute("aria-pressed", String(i === pinned)); });
    draw();
  }

  // Whether the filter lets the line from query i to key j through, whatever its weight.
  function allowed(i, j, focus) {
    if (focus !== null && (focus < n ? i !== focus : j !== focus - n)) return false;
    return state.from === null || (data.segments[i] === state.from && data.segments[j] === state.to);
  }

  function cutoff(focus) { return focus === null && weights.length > 1 ? Math.max(state.least, CROWD) : state.least; }

  // One path for each level of strength: a few elements, however many lines.
  function paths(values, focus) {
    var parts = numbers(LEVELS).map(function () { return ""; }), least = cutoff(focus);
    for (var i = 0; i < n; i++) for (var j = 0; j < m; j++) {
      var w = values[i * m + j];
      if (w < least || w === 0 || !allowed(i, j, focus)) continue;
      var level = Math.min(LEVELS, Math.max(1, Math.ceil(w * LEVELS))) - 1;
      parts[level] += "M0 " + i + "L1 " + j;
    }
    return parts;
  }

  function draw() {
    var focus = pinned === null ? pointed : pinned, found = [];
    weights.forEach(function (values, k) {
      paths(values, focus).forEach(function (d, level) {
        if (!d) return;
        var strength = (level + 1) / LEVELS, faint = focus === null ? 0.1 : 0.35; // few lines may all be seen well
        found.push([level, TL.svg("path", { d: d, "class": "tl-head", style: hue(state.heads[k], data.heads),
          "stroke-opacity": (faint + (1 - faint) * strength).toFixed(2), "stroke-width": (0.6 + 2.4 * strength).toFixed(2) })]);
      });
    });
    found.sort(function (a, b) { return a[0] - b[0]; }); // the strongest above all others, whatever their head
    lines.replaceChildren.apply(lines, found.map(function (pair) { return pair[1]; }));
    marks.replaceChildren.apply(marks, focus === null ? [] : markings(focus));
    tokens.forEach(function (token, i) { token.setAttribute("class", i === focus ? "tl-token tl-on" : "tl-token"); });
    var text = describe(focus);
    svg.setAttribute("aria-label", text);
    tell(text);
  }

  // The weights of one query over the keys, or of all queries on one key, for each head that is shown.
  function slices(focus) {
    return weights.map(function (values) {
      return focus < n ? values.subarray(focus * m, focus * m + m)
        : Float64Array.from({ length: n }, function (_, i) { return values[i * m + focus - n]; });
    });
  }

  function mean(rows) {
    return rows[0].map(function (_, i) { return rows.reduce(function (sum, row) { return sum + row[i]; }, 0) / rows.length; });
  }

  // Beside each token of the other side its weight (the mean of several heads), below it one cell for each head.
  function markings(focus) {
    var rows = slices(focus), left = focus >= n, made = [], wide = 100 / rows.length;
    if (!rows.length) return made; // no head is chosen
    mean(rows).forEach(function (w, i) {
      var pair = left ? [i, focus - n] : [focus, i], y = TOP + ROW * i;
      if (!allowed(pair[0], pair[1], null)) return;
      if (w >= Math.max(0.005, state.least)) made.push(TL.svg("text", { x: left ? 0 : WIDTH - 27, y: y + 16, "class": "tl-number" },
        w >= 0.995 ? "1.0" : w.toFixed(2).slice(1)));
      if (rows.length > 1) rows.forEach(function (row, k) {
        made.push(TL.svg("rect", { x: (left ? 30 : 230) + k * wide, y: y + 19, width: wide - 0.5, height: 4, "class": "tl-head",
          style: hue(state.heads[k], data.heads), "fill-opacity": row[i].toFixed(2) }));
      });
    });
    return made;
  }

  function describe(focus) {
    var several = weights.length > 1;
    var place = "Layer " + state.layer + ", " + (several ? weights.length + " heads" : "head " + state.heads[0]) + ". ";
    if (!weights.length) return "Layer " + state.layer + ": no head is chosen.";
    if (focus !== null) return place + describeToken(focus, several);
    if (several) return place + "Weights of " + cutoff(null).toFixed(2) + " or more are shown." +
      (still ? "" : " Point at a token to see all of its lines, with the weights of each head.");
    var top = largest(weights[0].map(function (w, k) { return allowed(Math.floor(k / m), k % m, null) ? w : 0; }), 3);
    return place + "Strongest: " + top.map(function (k) {
      return nameOf(data.tokens, Math.floor(k / m)) + " to " + nameOf(keys, k % m) + " (" + weights[0][k].toFixed(2) + ")";
    }).join(", ") + ".";
  }

  function describeToken(focus, several) {
    var asks = focus < n, others = asks ? keys : data.tokens, row = mean(slices(focus));
    var text = (asks ? nameOf(data.tokens, focus) + " attends most to " : nameOf(keys, focus - n) + " gets most from ") +
      largest(row, 3).map(function (i) { return nameOf(others, i) + " (" + row[i].toFixed(2) + ")"; }).join(", ");
    if (!several) return text + ".";
    var best = slices(focus).map(function (values, k) {
      var i = largest(values, 1)[0];
      return { head: state.heads[k], i: i, weight: values[i] };
    }).sort(function (a, b) { return b.weight - a.weight; })[0];
    return text + " on average; most in one head: head " + best.head + ", " + nameOf(others, best.i) + " (" + best.weight.toFixed(2) + ").";
  }

  return {
    element: svg,
    show: function (change) {
      Object.assign(state, change);
      weights = state.heads.map(function (head) { return at(state.layer, head); });
      draw();
    },
    // The same as a click or Enter on query i, or nothing kept if i is -1.
    keep: function (i) { pinned = null; pin(i < 0 ? null : i); },
    weightsOf: at,
  };
}

// Controls that both views of lines have: the least weight, and the segments if the text is a pair.
function lineControls(view, picture) {
  var least = TL.range(view, "Hide below", { min: 0, max: 0.5, step: 0.01, value: view.data.least },
    function (x) { return x.toFixed(2); }, function () { picture.show({ least: +least.value }); });
  if (!view.data.segments) return;
  var ways = [[null, null], [0, 0], [0, 1], [1, 0], [1, 1]];
  var names = ["all", "A \u2192 A", "A \u2192 B", "B \u2192 A", "B \u2192 B"];
  var way = TL.select(view, "Segments", names, 0, function () {
    picture.show({ from: ways[+way.value][0], to: ways[+way.value][1] });
  });
}
