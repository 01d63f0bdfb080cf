// A question and a list that grows.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var parts = takenApart(texts[0], texts[1]), n = parts.others.length, note = "";
  async function vector(text) {
    var read = await live.nearest(text, 0, { model: data.live });
    note = note || TL.cut(read);
    return read.vector;
  }
  var question = await vector(texts[0]), curves = [[], []];
  for (var i = 1; i <= n; i++) {
    var lists = [[parts.asked].concat(parts.others.slice(0, i - 1)), parts.others.slice(0, i)];
    for (var k = 0; k < 2; k++) curves[k].push(TL.cosine(question, await vector(parts.head + " " + lists[k].join(", ") + ".")));
  }
  return { note: note, found: { asked: parts.asked, "with": curves[0], without: curves[1] } };
}

function charts(found) {
  var gains = found.with.map(function (value, i) { return value - found.without[i]; }), n = gains.length;
  var chart = { kind: "lines", curves: [["with " + found.asked, found.with], ["without " + found.asked, found.without]],
    x: names(n, function (i) { return String(i + 1); }), axis: "things in the list", unit: "cosine with the question" };
  return [["", chart, quoted(found.asked) + " raises the cosine by " + TL.number(gains[0]) + " in a list of 1, by " + TL.number(gains[n - 1]) + " in one of " + n + "."]];
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
