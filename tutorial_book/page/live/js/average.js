// How similar the words of a text are, layer by layer.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
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
  return { note: found.note, found: own };
}

function charts(own, data) {
  var OWN = "two words of this text", OTHERS = "one word from each of two texts";
  return [["", byLayer("average cosine", [[OWN, own], [OTHERS, data.apart]], [OTHERS]),
    "After the last layer " + OWN + " have cosine " + TL.number(own[data.layers]) + "; " + OTHERS + ", " + TL.number(data.apart[data.layers]) + "."]];
}
