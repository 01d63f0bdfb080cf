// A word in two senses, and another in its place.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var deep = depths(data), groups = [sentencesOf(texts[0]), sentencesOf(texts[1])], instead = texts[2].trim();
  if (groups[0].length < 2 || groups[1].length < 2) throw new Error("Type two sentences or more for each sense.");
  var every = groups[0].concat(groups[1]), read = [], note = "";
  for (var i = 0; i < every.length; i++) {
    read.push(await wordVectors(live, data, every[i], deep));
    note = note || read[i].note;
  }
  var shared = read[0].words;
  read.slice(1).forEach(function (one) { shared = sharedWords(shared, one.words).map(function (pair) { return pair[0]; }); });
  if (!shared.length) throw new Error("No word occurs in all sentences. Use one word in each.");
  var word = shared[0].name;
  var places = read.map(function (one) { return one.words.findIndex(function (own) { return own.name === word; }); });
  var swapped = [];
  for (i = 0; i < every.length; i++) {
    swapped.push(await wordVectors(live, data, swap(every[i], word, instead), deep));
    if (!swapped[i].words[places[i]]) throw new Error("Type a word to put in the place of \u201c" + word + "\u201d.");
  }
  var labels = every.map(function (_, i) { return +(i >= groups[0].length); });
  function curveOf(found) {
    return deep.map(function (_, depth) {
      return silhouette(found.map(function (one, i) { return one.words[places[i]].vectors[depth]; }), labels);
    });
  }
  return { note: note, found: { words: [word, instead], curves: [curveOf(read), curveOf(swapped)] } };
}

function charts(found) {
  var named = found.words.map(quoted), [own, control] = found.curves, best = own.indexOf(Math.max.apply(null, own));
  return [["", byLayer("silhouette", [[named[0], own], [named[1], control]], [named[1]]), "The senses of " + named[0] + " lie farthest apart after layer " +
    best + ": " + TL.number(own[best]) + "; " + named[1] + " has " + TL.number(control[best]) + " there."]];
}

function sentencesOf(text) {
  return (text.match(/[^.!?]*[^.!?\s][^.!?]*[.!?]*/g) || []).map(function (part) { return part.trim(); });
}

// As swap in senses.py.
function swap(text, word, instead) {
  var plain = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(new RegExp("(?<![\\p{L}\\p{N}_])" + plain + "(?![\\p{L}\\p{N}_])", "iu"), function () { return instead; });
}

// How much nearer a vector is to its own group than to the other, by cosine distance: the mean over all.
function silhouette(vectors, labels) {
  var sum = 0;
  vectors.forEach(function (x, i) {
    var total = [0, 0], count = [0, 0];
    vectors.forEach(function (y, j) {
      if (i === j) return;
      total[labels[j]] += Math.round(1e6 * (1 - TL.cosine(x, y))) / 1e6;
      count[labels[j]]++;
    });
    var own = total[labels[i]] / count[labels[i]], other = total[1 - labels[i]] / count[1 - labels[i]];
    sum += Math.max(own, other) > 0 ? (other - own) / Math.max(own, other) : 0;
  });
  return sum / vectors.length;
}
