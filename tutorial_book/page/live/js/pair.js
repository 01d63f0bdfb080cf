// Two sentences among chance pairs.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var one = await live.nearest(texts[0], 0, { model: data.live }), other = await live.nearest(texts[1], 0, { model: data.live });
  return { note: TL.cut(one.cut ? one : other), found: TL.cosine(one.vector, other.vector) };
}

// data.counts: of the pairs by cosine, in thousandths from data.low on; ten of them are a column.
function charts(value, data) {
  function sum(from, to) { return data.counts.slice(from, to).reduce(function (a, b) { return a + b; }, 0); }
  var bin = Math.min(Math.max(Math.floor(1000 * value + 0.5) - data.low, 0), data.counts.length - 1);
  var columns = names(Math.floor(data.counts.length / 10), function (i) { return sum(10 * i, 10 * i + 10); });
  var chart = { kind: "histogram", counts: columns, low: data.low / 1000, high: 1, axis: "cosine of two sentences", marks: [["yours", value]] };
  return [["", chart, "Cosine " + TL.number(value) + ". Of " + sum(0).toLocaleString("en-US") + " pairs of the book\u2019s sentences, " +
    sum(bin).toLocaleString("en-US") + " are at least as similar."]];
}
