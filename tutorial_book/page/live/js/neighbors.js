// The nearest rows to any word's; embeddings.py works out the same. A press on a word asks for its own.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var word = texts[0].toLowerCase(), found = await live.neighbors(word, 10, { model: data.live });
  if (!found.words) {
    var cut = (await live.tokenize(word, { model: data.live })).tokens.slice(1, -1).join(" ");
    throw new Error("\u201c" + word + "\u201d is no token of this vocabulary: it is cut into " + cut + ". A row belongs to a token.");
  }
  return { shown: [[word, { kind: "bars", rows: found.words, low: 0, high: 1, band: null },
    "Of " + found.among.toLocaleString("en-US") + " whole words, \u201c" + found.words[0][0] + "\u201d has the row nearest to that of \u201c" + word + "\u201d."]] };
}
