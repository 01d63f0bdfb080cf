// A question and a list that grows; limits.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var parts = takenApart(texts[0], texts[1]), n = parts.others.length, note = "";
  async function vector(text) {
    var read = await live.nearest(text, 0, { model: data.live });
    note = note || TL.cut(read);
    return read.vector;
  }
  var question = await vector(texts[0]), curves = [["with " + parts.asked, []], ["without " + parts.asked, []]];
  for (var i = 1; i <= n; i++) {
    var lists = [[parts.asked].concat(parts.others.slice(0, i - 1)), parts.others.slice(0, i)];
    for (var k = 0; k < 2; k++) curves[k][1].push(TL.cosine(question, await vector(parts.head + " " + lists[k].join(", ") + ".")));
  }
  var every = curves[0][1].concat(curves[1][1]);
  var gains = curves[0][1].map(function (value, i) { return value - curves[1][1][i]; });
  var chart = Object.assign({}, data.shown[0][1], { curves: curves, x: names(n, function (i) { return String(i + 1); }), low: Math.min.apply(null, every), high: Math.max.apply(null, every) });
  return { note: note, shown: [["", chart, "\u201c" + parts.asked + "\u201d raises the cosine by " + two(gains[0]) + " in a list of 1, by " + two(gains[n - 1]) + " in one of " + n + "."]] };
}

function wordsIn(text) { return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || []; }

// As taken_apart in limits.py.
function takenApart(question, profile) {
  var wanted = wordsIn(question).pop() || "";
  var list = profile.split(/[,.;:!?]| and /).map(function (piece) { return piece.trim(); }).filter(function (piece) { return wordsIn(piece).length; });
  var head = (list[0] || "").split(/\s+/), own = head.pop(), things = (head.length ? [own] : []).concat(list.slice(1));
  var asked = things.find(function (thing) { return wanted && wordsIn(thing).includes(wanted); });
  if (!asked || things.length < 2) throw new Error("The profile must list \u201c" + wanted + "\u201d and something else.");
  return { head: head.join(" ") || own, asked: asked, others: things.filter(function (thing) { return thing !== asked; }) };
}
