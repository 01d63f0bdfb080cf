// The candidates for [MASK].
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var trace = await live.trace(texts[0], { model: data.live, stops: ["mlm.logits"] }), logits = trace.stops["mlm.logits"], size = logits.shape[1];
  var places = names(trace.tokens.length, Number).filter(function (i) { return trace.tokens[i] === "[MASK]"; });
  if (!places.length) throw new Error("Write [MASK] where a word is to be guessed.");
  var words = wordsOf(trace.tokens).filter(function (word) { return /^\p{L}+$/u.test(word.name); });
  var whole = words.filter(function (word) { return word.places.length === 1; }).length;
  var unknown = trace.tokens.filter(function (token) { return token === "[UNK]"; }).length;
  var rows = places.map(function (place) {
    var p = TL.softmax(Array.from(logits.values.subarray(place * size, (place + 1) * size)));
    var best = p.map(function (_, i) { return i; }).sort(function (a, b) { return p[b] - p[a] || a - b; }).slice(0, 10);
    return best.map(function (i) { return [data.tokens[i], p[i]]; });
  });
  return { note: TL.cut(trace), found: { rows: rows, known: [whole, words.length + unknown] } };
}

function charts(found, data) {
  var known = " Its vocabulary of " + data.tokens.length.toLocaleString("en-US") + " tokens has " + found.known.join(" of ") + " words of this text as single tokens.";
  return found.rows.map(function (rows, number) {
    return ["number " + (number + 1), { kind: "bars", rows: rows }, quoted(rows[0][0]) + " is likeliest, with " + rows[0][1].toFixed(2) + "." + known];
  });
}
