// A view of an example that is measured again for the reader's text; Python measured the example. measure(texts, live, data,
// current) gives a promise of {found, note}: what is in data.found, for other texts. charts(found, data) gives what is shown:
// [[name, chart, sentence], ...]; the menu keeps its place if the name is there again.
function asking(view, measure, charts) {
  var data = view.data, shown = charts(data.found, data), menu = null, ask = null;
  var example = data.boxes.map(function (box) { return TL.el("p", { "class": "tl-asked" }, [box[0] + ": ", TL.el("b", {}, box[1])]); });
  show();
  if (!view.still) controls();

  function show() {
    var one = shown[menu ? +menu.value : 0];
    view.picture.replaceChildren.apply(view.picture, example.concat(drawn(one[1])));
    view.say(one[2]);
    if (data.follow && ask) view.picture.querySelectorAll(".tl-bars th").forEach(follow);
  }

  // A row's name becomes a button that asks for it.
  function follow(row) {
    var name = row.textContent, button = TL.el("button", { type: "button", title: "Ask for this" }, name);
    button.addEventListener("click", function () { ask([name]); });
    row.replaceChildren(button);
  }

  function choices() {
    var names = shown.map(function (one) { return one[0]; });
    var place = menu ? Math.max(0, names.indexOf(menu.options[+menu.value].text)) : 0;
    view.controls.replaceChildren();
    menu = names.length > 1 ? TL.select(view, data.choose, names, place, show) : null;
    view.controls.hidden = !menu;
  }

  function controls() {
    choices();
    if (data.live) ask = TL.live(view, data.boxes, async function (texts, live, current) {
      var measured = await measure(texts, live, data, current);
      if (!current()) return "";
      shown = charts(measured.found, data);
      example = []; // the boxes have the texts
      choices();
      show();
      return measured.note || "";
    }, data.live);
  }
}

// Curves, [[name, numbers], ...], of numbers up to 1 after each number of layers; soft: the names of those to compare with.
function byLayer(unit, curves, soft) {
  return { kind: "lines", curves: curves, axis: "layers passed", unit: unit, low: Math.min.apply(null, [0].concat(curves.flatMap(function (curve) { return curve[1]; }))), high: 1, soft: soft };
}

function quoted(name) { return "\u201c" + name + "\u201d"; }

function names(count, form) { return Array.from({ length: count }, function (_, i) { return form(i); }); }

// The names of the values that are a token's vector before the first layer and after each.
function depths(data) { return ["embeddings.output"].concat(names(data.layers, function (i) { return "layer." + i + ".output"; })); }

// As words_of in asking.py.
function wordsOf(tokens) {
  var words = [];
  tokens.forEach(function (token, place) {
    var last = words[words.length - 1];
    if (/^##/.test(token) && last) {
      last.name += token.slice(2);
      last.places.push(place);
    } else if (!/^\[.+\]$/.test(token)) words.push({ name: token, places: [place] });
  });
  return words.filter(function (word) { return /[\p{L}\p{N}]/u.test(word.name); });
}

// The mean of some rows of a stop, {shape, values}.
function meanRow(stop, places) {
  var d = stop.shape[1], mean = new Float64Array(d);
  places.forEach(function (place) {
    for (var k = 0; k < d; k++) mean[k] += stop.values[place * d + k] / places.length;
  });
  return mean;
}

// A promise of the words of a text with their vectors, one at each of `stops`.
async function wordVectors(live, data, text, stops, options) {
  var trace = await live.trace(text, Object.assign({ model: data.live, stops: stops }, options));
  var words = wordsOf(trace.tokens);
  if (!words.length) throw new Error("Type at least one word.");
  words.forEach(function (word) {
    word.id = word.places.length > 1 ? Infinity : trace.ids[word.places[0]];
    word.vectors = stops.map(function (stop) { return meanRow(trace.stops[stop], word.places); });
  });
  return { words: words, note: TL.cut(trace) };
}

// As shared_words in asking.py: words of both, the rarest first.
function sharedWords(one, other) {
  var names = other.map(function (word) { return word.name; });
  var found = one.filter(function (word, i) {
    return names.includes(word.name) && one.findIndex(function (first) { return first.name === word.name; }) === i;
  });
  return found.sort(function (a, b) { return a.id === b.id ? 0 : b.id - a.id; }).map(function (word) {
    return [word, other.find(function (second) { return second.name === word.name; })];
  });
}
