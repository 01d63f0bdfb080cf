// A text without each head.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data, current) {
  var last = "layer." + (data.layers - 1) + ".output";
  async function pooled(silence) {
    var trace = await live.trace(texts[0], { model: data.live, stops: [last], silence: silence });
    return { vector: meanRow(trace.stops[last], names(trace.tokens.length, Number)), note: TL.cut(trace) };
  }
  var whole = await pooled([]), turned = [];
  for (var i = 0; i < data.layers * data.heads && current(); i++) { // another letter stops it
    turned.push(1 - TL.cosine((await pooled([[Math.floor(i / data.heads), i % data.heads]])).vector, whole.vector));
  }
  return { note: whole.note, found: names(data.layers, function (layer) { return turned.slice(data.heads * layer, data.heads * (layer + 1)); }) };
}

function charts(turned, data) {
  var every = turned.flat(), most = Math.max.apply(null, every), at = every.indexOf(most), order = every.slice().sort(function (a, b) { return a - b; });
  var rows = turned.map(function (row) { return row.map(function (value) { return [(1000 * value).toFixed(0), value / most]; }); });
  var median = (order[Math.ceil(order.length / 2) - 1] + order[Math.floor(order.length / 2)]) / 2;
  return [["", { kind: "grid", rows: rows, unit: "1 \u2212 cosine in thousandths" }, "Without layer " + Math.floor(at / data.heads) + ", head " + at % data.heads +
    " the text\u2019s vector turns most: 1 \u2212 cosine is " + most.toFixed(3) + "; of all heads the median is " + median.toFixed(3) + "."]];
}
