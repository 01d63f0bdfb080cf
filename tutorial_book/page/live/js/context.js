// One word in two sentences; context.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var deep = depths(data);
  var OTHERS = "two different words, on average";
  var one = await wordVectors(live, data, texts[0], deep), other = await wordVectors(live, data, texts[1], deep);
  var shared = sharedWords(one.words, other.words);
  if (!shared.length) throw new Error("These two sentences share no word. Use one word in both.");
  var control = deep.map(function (_, depth) {
    var sum = 0, count = 0;
    one.words.forEach(function (a) {
      other.words.forEach(function (b) {
        if (a.name === b.name) return;
        sum += TL.cosine(a.vectors[depth], b.vectors[depth]);
        count++;
      });
    });
    return count ? sum / count : NaN;
  });
  var compared = !isNaN(control[0]);
  return { note: one.note || other.note, shown: shared.map(function (pair) {
    var curve = deep.map(function (_, depth) { return TL.cosine(pair[0].vectors[depth], pair[1].vectors[depth]); });
    var curves = [["\u201c" + pair[0].name + "\u201d in both", curve]].concat(compared ? [[OTHERS, control]] : []);
    var low = Math.min.apply(null, [0].concat(curve, compared ? control : []));
    return [pair[0].name, { kind: "lines", curves: curves, x: names(data.layers + 1, String), axis: "layers passed", unit: "cosine", low: low, high: 1, soft: [OTHERS] },
      "\u201c" + pair[0].name + "\u201d after the last layer: cosine " + two(curve[data.layers]) + (compared ? "; " + OTHERS + ", " + two(control[data.layers]) : "") + "."];
  }) };
}
