// A word and its partner in all heads.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
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
  var here = pair[0].places, there = pair[1].places, offset = there[0] - here[0];
  var rows = names(n, Number).filter(function (i) { return i > 0 && i < n - 1 && i + offset > 0 && i + offset < n - 1 && !here.includes(i); });
  var grids = [[], []];
  stops.forEach(function (stop) {
    var A = trace.stops[stop].values, cells = [[], []];
    names(trace.stops[stop].shape[0], Number).forEach(function (head) {
      function weight(i, j) { return A[(head * n + i) * n + j]; }
      function sum(list, of) { return list.reduce(function (total, x) { return total + of(x); }, 0); }
      var given = sum(here, function (i) { return sum(there, function (j) { return weight(i, j); }); }) / here.length;
      var elsewhere = rows.length ? sum(rows, function (i) { return weight(i, i + offset); }) / rows.length : 0;
      cells[0].push(given);
      cells[1].push(elsewhere);
    });
    cells.forEach(function (row, k) { grids[k].push(row); });
  });
  return { note: TL.cut(trace), found: { names: pair.map(function (word) { return word.name; }), given: grids[0], elsewhere: rows.length ? grids[1] : null } };
}

// found.elsewhere: null if the text has no such distance elsewhere.
function charts(found, data) {
  var given = found.given.flat(), elsewhere = found.elsewhere ? found.elsewhere.flat() : given.map(function () { return 0; });
  var gains = given.map(function (value, i) { return value - elsewhere[i]; }), best = gains.indexOf(Math.max.apply(null, gains));
  var beside = found.elsewhere ? "; over the same distance elsewhere in this sentence, " + elsewhere[best].toFixed(2) : "";
  var say = "Layer " + Math.floor(best / data.heads) + ", head " + best % data.heads + " differs most: " + given[best].toFixed(2) + " from " +
    found.names.map(quoted).join(" to ") + beside + ".";
  return [["the pair", found.given], ["the same distance elsewhere", found.elsewhere]].filter(function (kind) { return kind[1]; }).map(function ([kind, grid]) {
    var rows = grid.map(function (row) { return row.map(function (value) { return [(100 * value).toFixed(0), value]; }); });
    return [kind, { kind: "grid", rows: rows, unit: "Weight in hundredths" }, say];
  });
}
