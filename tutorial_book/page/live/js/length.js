// How long a token's vector is at each stop; bert.py works out the same.
function draw(view) { asking(view, compute); }

async function compute(texts, live, data) {
  var STOPS = ["attention_sum", "attention_norm", "feed_forward_sum", "output"], other = "mean of the text\u2019s tokens";
  var stops = names(data.layers, function (i) { return STOPS.map(function (stop) { return "layer." + i + "." + stop; }); }).flat();
  var trace = await live.trace(texts[0], { model: data.live, stops: stops }), n = trace.tokens.length;
  if (n < 3) throw new Error("Type at least one word.");
  var lengths = stops.map(function (stop) { return names(n, function (place) { return Math.hypot.apply(null, meanRow(trace.stops[stop], [place])); }); });
  var ordinary = lengths.map(function (row) { return row.slice(1, -1).reduce(function (a, b) { return a + b; }, 0) / (n - 2); });
  return { note: TL.cut(trace), shown: trace.tokens.map(function (_, place) {
    var own = lengths.map(function (row) { return row[place]; }), name = nameOf(trace.tokens, place), both = own.concat(ordinary);
    var most = Math.max.apply(null, own), at = own.indexOf(most);
    return [name, { kind: "lines", curves: [[name, own], [other, ordinary]], x: stops.map(function (_, i) { return i % 4 ? "" : String(i / 4); }),
      axis: "layer, four stops each", unit: "length", low: Math.min.apply(null, both), high: Math.max.apply(null, both), soft: [other], log: true },
      name + " is longest in layer " + Math.floor(at / 4) + ", at " + STOPS[at % 4] + ": " + most.toFixed(1) + ", where the mean is " + ordinary[at].toFixed(1) + "."];
  }) };
}

// As name_of in traces.py.
function nameOf(tokens, i) {
  return "\u201c" + tokens[i] + "\u201d" + (tokens.indexOf(tokens[i]) !== tokens.lastIndexOf(tokens[i]) ? " #" + i : "");
}
