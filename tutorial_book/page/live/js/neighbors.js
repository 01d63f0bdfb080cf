// The nearest rows to any word's. A press on a word asks for its own.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var tokens = (await live.tokenize(texts[0], { model: data.live })).tokens.slice(1, -1), word = tokens[0];
  if (tokens.length !== 1) throw new Error("A row belongs to one token, and the vocabulary cuts this into " + tokens.length + (tokens.length < 9 ? ": " + tokens.join(" ") : "") + ".");
  var found = await live.neighbors(word, 10, { model: data.live });
  return { found: [[word, found.words, found.among]] };
}

function charts(found) {
  return found.map(function ([word, rows, among]) {
    return [word, { kind: "bars", rows: rows }, "Of " + among.toLocaleString("en-US") + " whole words, " + quoted(rows[0][0]) +
      " has the row nearest to that of " + quoted(word) + "."];
  });
}
