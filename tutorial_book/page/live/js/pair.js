// Two sentences among chance pairs; meaning.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var one = await live.nearest(texts[0], 0, { model: data.live }), other = await live.nearest(texts[1], 0, { model: data.live });
  var value = TL.cosine(one.vector, other.vector), chart = Object.assign({}, data.shown[0][1], { marks: [["yours", value]] });
  function sum(counts) { return counts.reduce(function (a, b) { return a + b; }, 0); }
  var bin = Math.min(Math.max(Math.floor(1000 * value + 0.5) + 300, 0), data.counts.length - 1), all = sum(data.counts); // thousandths, from -0.3
  return { note: TL.cut(one.cut ? one : other), shown: [["", chart, "Cosine " + two(value) + ". Of " + all.toLocaleString("en-US") + " pairs of the book\u2019s sentences, " +
    sum(data.counts.slice(bin)).toLocaleString("en-US") + " are at least as similar."]] };
}
