// How alike the words of a text are; shape.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var deep = depths(data);
  var found = await wordVectors(live, data, texts[0], deep), n = found.words.length;
  if (n < 2) throw new Error("Type two words or more.");
  var own = deep.map(function (_, depth) {
    var sum = 0;
    found.words.forEach(function (x, i) {
      found.words.slice(i + 1).forEach(function (y) { sum += TL.cosine(x.vectors[depth], y.vectors[depth]); });
    });
    return 2 * sum / (n * (n - 1));
  });
  var OTHERS = "one word from each of two texts", low = Math.min.apply(null, [0].concat(own, data.apart));
  return { note: found.note, shown: [["", { kind: "lines", curves: [["two words of this text", own], [OTHERS, data.apart]], x: names(data.layers + 1, String),
    axis: "layers passed", unit: "average cosine", low: low, high: 1, soft: [OTHERS] },
    "After the last layer two words of this text have cosine " + two(own[data.layers]) + "; " + OTHERS + ", " + two(data.apart[data.layers]) + "."]] };
}
