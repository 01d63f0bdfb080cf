// One word in two sentences, layer by layer.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var deep = depths(data);
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
  var words = shared.map(function (pair) {
    return [pair[0].name, deep.map(function (_, depth) { return TL.cosine(pair[0].vectors[depth], pair[1].vectors[depth]); })];
  });
  return { note: one.note || other.note, found: { words: words, control: isNaN(control[0]) ? [] : control } };
}

function charts(found, data) {
  var OTHERS = "two different words, on average", compared = found.control.length;
  return found.words.map(function ([word, curve]) {
    var curves = [[quoted(word) + " in both", curve]].concat(compared ? [[OTHERS, found.control]] : []);
    var beside = compared ? "; " + OTHERS + ", " + TL.number(found.control[data.layers]) : "";
    return [word, byLayer("cosine", curves, [OTHERS]), quoted(word) + " after the last layer: cosine " + TL.number(curve[data.layers]) + beside + "."];
  });
}
