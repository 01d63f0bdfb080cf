// The logit lens on the reader's text.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var found = await live.lens(texts[0], { model: data.live });
  var p = found.logits.map(function (logits) { return TL.softmax(Array.from(logits)); }), end = p[p.length - 1];
  function top(row) { return row.indexOf(Math.max.apply(null, row)); }
  var best = end.map(function (_, i) { return i; }).sort(function (a, b) { return end[b] - end[a] || a - b; }).slice(0, 4);
  var curves = best.map(function (i) { return p.map(function (row) { return row[i]; }); });
  return { note: TL.cut(found), found: { best: best, curves: curves, favorites: p.map(top) } };
}

function charts(found, data) {
  var curves = found.curves.map(function (curve, k) { return [spoken(data.pieces[found.best[k]]), curve]; }); // two tokens may be spoken in the same way
  return [["", byLayer("probability", curves, []), "After 0, 1, \u2026 layers the likeliest next token is " +
    found.favorites.map(function (i) { return quoted(spoken(data.pieces[i])); }).join(", ") + "."]];
}
