// What stands behind [MASK]; bert.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var trace = await live.trace(texts[0], { model: data.live, stops: ["mlm.logits"] }), logits = trace.stops["mlm.logits"], size = logits.shape[1];
  var places = names(trace.tokens.length, Number).filter(function (i) { return trace.tokens[i] === "[MASK]"; });
  if (!places.length) throw new Error("Write [MASK] where a word is to be guessed.");
  var words = wordsOf(trace.tokens).filter(function (word) { return /^\p{L}+$/u.test(word.name); });
  var whole = words.filter(function (word) { return word.places.length === 1; }).length;
  var unknown = trace.tokens.filter(function (token) { return token === "[UNK]"; }).length;
  var known = "Words of this text that its vocabulary of " + size.toLocaleString("en-US") + " tokens has whole: " + whole + " of " + (words.length + unknown) + ".";
  return { note: TL.cut(trace), shown: places.map(function (place, number) {
    var p = TL.softmax(Array.from(logits.values.subarray(place * size, (place + 1) * size)));
    var best = p.map(function (_, i) { return i; }).sort(function (a, b) { return p[b] - p[a] || a - b; }).slice(0, 10);
    var rows = best.map(function (i) { return [data.tokens[i], p[i]]; });
    return ["number " + (number + 1), { kind: "bars", rows: rows, low: 0, high: 1, band: null },
      "\u201c" + rows[0][0] + "\u201d is likeliest, with " + rows[0][1].toFixed(2) + ". " + known];
  }) };
}
