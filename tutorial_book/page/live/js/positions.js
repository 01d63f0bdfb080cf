// The same words in two orders.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var last = depths(data)[data.layers];
  var kinds = [["without positions", ["embeddings.positions"]], ["with positions", []]], found = [], note = "";
  for (var kind of kinds) {
    var one = await wordVectors(live, data, texts[0], [last], { without: kind[1] });
    var other = await wordVectors(live, data, texts[1], [last], { without: kind[1] });
    var rows = sharedWords(one.words, other.words).map(function (pair) { return [pair[0].name, TL.cosine(pair[0].vectors[0], pair[1].vectors[0])]; });
    if (!rows.length) throw new Error("These two texts share no word. Use the same words in another order.");
    found.push([kind[0], rows]);
    note = note || one.note || other.note;
  }
  return { found: found, note: note };
}

function charts(found) {
  var SAME = 0.999; // a cosine from here on is that of one vector, but for rounding
  return found.map(function ([kind, rows]) {
    var [word, least] = rows.reduce(function (a, b) { return b[1] < a[1] ? b : a; });
    var told = least < SAME ? quoted(word) + " differs most, with cosine " + TL.number(least) : "each word has the same vector in both";
    return [kind, { kind: "bars", rows: rows }, kind[0].toUpperCase() + kind.slice(1) + ": " + told + "."];
  });
}
