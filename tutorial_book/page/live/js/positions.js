// The same words in two orders; positions.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var last = depths(data)[data.layers];
  var kinds = [["Without positions", ["embeddings.positions"]], ["With positions", []]], shown = [], note = "";
  for (var kind of kinds) {
    var one = await wordVectors(live, data, texts[0], [last], { without: kind[1] });
    var other = await wordVectors(live, data, texts[1], [last], { without: kind[1] });
    var rows = sharedWords(one.words, other.words).map(function (pair) { return [pair[0].name, TL.cosine(pair[0].vectors[0], pair[1].vectors[0])]; });
    if (!rows.length) throw new Error("These two texts share no word. Use the same words in another order.");
    var least = rows.reduce(function (a, b) { return b[1] < a[1] ? b : a; });
    shown.push([kind[0].toLowerCase(), { kind: "bars", rows: rows, low: 0, high: 1, band: null },
      kind[0] + (least[1] < 0.999 ? ": \u201c" + least[0] + "\u201d differs most, with cosine " + two(least[1]) : ": each word has the same vector in both") + "."]);
    note = note || one.note || other.note;
  }
  return { shown: shown, note: note };
}
