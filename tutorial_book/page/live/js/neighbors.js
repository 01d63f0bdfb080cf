// The nearest rows to any word's; embeddings.py works out the same. A press on a word asks for its own.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var tokens = (await live.tokenize(texts[0], { model: data.live })).tokens.slice(1, -1), word = tokens[0];
  if (tokens.length !== 1) throw new Error("A row belongs to one token, and the vocabulary cuts this into " + tokens.length + (tokens.length < 9 ? ": " + tokens.join(" ") : "") + ".");
  var found = await live.neighbors(word, 10, { model: data.live });
  return { shown: [[word, { kind: "bars", rows: found.words, low: 0, high: 1, band: null },
    "Of " + found.among.toLocaleString("en-US") + " whole words, \u201c" + found.words[0][0] + "\u201d has the row nearest to that of \u201c" + word + "\u201d."]] };
}
