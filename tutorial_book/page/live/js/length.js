// How long a token's vector is at each stop.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var stops = names(data.layers, function (i) { return data.stops.map(function (stop) { return "layer." + i + "." + stop; }); }).flat();
  var trace = await live.trace(texts[0], { model: data.live, stops: stops }), n = trace.tokens.length;
  if (n < 3) throw new Error("Type at least one word.");
  var lengths = stops.map(function (stop) { return names(n, function (place) { return Math.hypot.apply(null, meanRow(trace.stops[stop], [place])); }); });
  return { note: TL.cut(trace), found: { tokens: trace.tokens, lengths: lengths } };
}

// One token's vector, beside the mean of all tokens but [CLS] and [SEP].
function charts(found, data) {
  var OTHERS = "mean of the text\u2019s tokens", n = found.tokens.length;
  var ordinary = found.lengths.map(function (row) { return row.slice(1, -1).reduce(function (a, b) { return a + b; }, 0) / (n - 2); });
  return found.tokens.map(function (_, place) {
    var own = found.lengths.map(function (row) { return row[place]; }), name = nameOf(found.tokens, place);
    var most = Math.max.apply(null, own), at = own.indexOf(most);
    return [name, { kind: "lines", curves: [[name, own], [OTHERS, ordinary]], x: own.map(function (_, i) { return i % 4 ? "" : String(i / 4); }),
      axis: "layer, four stops each", unit: "length", soft: [OTHERS], log: true },
      name + " is longest in layer " + Math.floor(at / 4) + ", at " + data.stops[at % 4] + ": " + most.toFixed(1) + ", where the mean is " + ordinary[at].toFixed(1) + "."];
  });
}

// A token in quotes, with its position if the same token occurs more than once.
function nameOf(tokens, i) {
  return quoted(tokens[i]) + (tokens.indexOf(tokens[i]) !== tokens.lastIndexOf(tokens[i]) ? " #" + i : "");
}
