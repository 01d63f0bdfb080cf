// A word and its partner in all heads; roles.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var stops = names(data.layers, function (i) { return "layer." + i + ".attention.weights"; });
  var trace = await live.trace(texts[0], { model: data.live, stops: stops }), n = trace.tokens.length, words = wordsOf(trace.tokens);
  var pair = [];
  for (var name of texts.slice(1)) {
    var cut = wordsOf((await live.tokenize(name, { model: data.live })).tokens)[0];
    var found = cut && words.find(function (word) { return word.name === cut.name; });
    if (!found) throw new Error("\u201c" + name + "\u201d is no word of the sentence.");
    pair.push(found);
  }
  if (pair[0] === pair[1]) throw new Error("Name two words.");
  var here = pair[0].places, there = pair[1].places, offset = there[0] - here[0], best = null;
  var rows = names(n, Number).filter(function (i) { return i > 0 && i < n - 1 && i + offset > 0 && i + offset < n - 1 && !here.includes(i); });
  var grids = [[], []];
  stops.forEach(function (stop, layer) {
    var A = trace.stops[stop].values, cells = [[], []];
    names(trace.stops[stop].shape[0], Number).forEach(function (head) {
      function weight(i, j) { return A[(head * n + i) * n + j]; }
      function sum(list, of) { return list.reduce(function (total, x) { return total + of(x); }, 0); }
      var given = sum(here, function (i) { return sum(there, function (j) { return weight(i, j); }); }) / here.length;
      var elsewhere = rows.length ? sum(rows, function (i) { return weight(i, i + offset); }) / rows.length : 0;
      if (!best || given - elsewhere > best.given - best.elsewhere) best = { layer: layer, head: head, given: given, elsewhere: elsewhere };
      [given, elsewhere].forEach(function (value, k) { cells[k].push([(100 * value).toFixed(0), value]); });
    });
    cells.forEach(function (row, k) { grids[k].push(row); });
  });
  var say = "Layer " + best.layer + ", head " + best.head + " differs most: " + best.given.toFixed(2) + " from \u201c" + pair[0].name + "\u201d to \u201c" + pair[1].name +
    "\u201d" + (rows.length ? "; over the same distance elsewhere in this sentence, " + best.elsewhere.toFixed(2) : "") + ".";
  return { note: TL.cut(trace), shown: ["the pair", "the same distance elsewhere"].slice(0, rows.length ? 2 : 1).map(function (kind, k) { return [kind, { kind: "grid", rows: grids[k], unit: "Weight in hundredths" }, say]; }) };
}
