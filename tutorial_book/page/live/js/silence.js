// A text without each head; roles.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var last = DEPTHS[6];
  async function pooled(silence) {
    var trace = await live.trace(texts[0], { model: data.live, stops: [last], silence: silence });
    return { vector: meanRow(trace.stops[last], names(trace.tokens.length, Number)), note: TL.cut(trace) };
  }
  var whole = await pooled([]), turned = [];
  for (var i = 0; i < 72; i++) turned.push(1 - TL.cosine((await pooled([[Math.floor(i / 12), i % 12]])).vector, whole.vector));
  var most = Math.max.apply(null, turned), at = turned.indexOf(most), order = turned.slice().sort(function (a, b) { return a - b; });
  var rows = names(6, function (layer) {
    return turned.slice(12 * layer, 12 * layer + 12).map(function (value) { return [(1000 * value).toFixed(0), value / most]; });
  });
  return { note: whole.note, shown: [["", { kind: "grid", rows: rows, unit: "1 \u2212 cosine in thousandths" }, "Without layer " + Math.floor(at / 12) + ", head " + at % 12 +
    " the text\u2019s vector turns most: 1 \u2212 cosine is " + most.toFixed(3) + "; of all heads the median is " + ((order[35] + order[36]) / 2).toFixed(3) + "."]] };
}
