// The logit lens on the reader's text; directions.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var found = await live.lens(texts[0], { model: data.live });
  var p = found.logits.map(function (logits) { return TL.softmax(Array.from(logits)); }), end = p[p.length - 1];
  function top(row) { return row.indexOf(Math.max.apply(null, row)); }
  var best = end.map(function (_, i) { return i; }).sort(function (a, b) { return end[b] - end[a] || a - b; }).slice(0, 4);
  var curves = best.map(function (i) { return [spoken(data.pieces[i]), p.map(function (row) { return row[i]; })]; });
  return { note: TL.cut(found), shown: [["", { kind: "lines", curves: curves, x: names(p.length, String), axis: "layers passed", unit: "probability", low: 0, high: 1, soft: [] },
    "After 0, 1, \u2026 layers the likeliest next token is \u201c" + p.map(function (row) { return spoken(data.pieces[top(row)]); }).join("\u201d, \u201c") + "\u201d."]] };
}
