// The gate of each head on one text, by the rules of geometry/gates.py.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var stops = names(data.layers, function (i) { return "layer." + i + ".attention.weights"; });
  var trace = await live.trace(texts[0], { model: data.live, stops: stops });
  if (trace.tokens.length < 3) throw new Error("Type at least one word.");
  var found = stops.map(function (stop) {
    var n = trace.stops[stop].shape[1], values = trace.stops[stop].values;
    return names(data.heads, function (head) { return gate(values.subarray(head * n * n, (head + 1) * n * n), n, Object.keys(data.letters)); });
  });
  return { note: TL.cut(trace), found: found };
}

function charts(found, data) {
  var counts = {}, every = found.flat(), usual = data.census.flat();
  every.forEach(function (name) { counts[name] = (counts[name] || 0) + 1; });
  var listed = Object.keys(counts).sort(function (a, b) { return counts[b] - counts[a] || (a < b ? -1 : 1); });
  var same = every.filter(function (name, i) { return name === usual[i]; }).length;
  var rows = found.map(function (gates, layer) {
    return gates.map(function (name, head) {
      var other = name !== data.census[layer][head];
      return [data.letters[name] + (other ? "*" : ""), +other];
    });
  });
  var unit = Object.entries(data.letters).map(function ([name, letter]) { return letter + " " + name; }).join(", ") + "; * where the census has another gate";
  return [["", { kind: "grid", rows: rows, unit: unit }, "On this text: " + listed.map(function (name) { return counts[name] + " " + name; }).join(", ") + ". " +
    same + " of " + every.length + " heads have their gate of the census."]];
}

// The first gate on whose way a map A (n, n) is at least half, else the last, "mixed".
function gate(A, n, gates) {
  function mean(of) { return names(n, of).reduce(function (a, b) { return a + b; }, 0) / n; }
  function row(i) { return A.subarray(i * n, (i + 1) * n); }

  // The average weight in the cells beyond what even rows have there, as a share of the rest.
  function excess(inside) {
    var weight = 0, even = 0;
    for (var i = 0; i < n; i++)
      for (var j = 0; j < n; j++) if (inside(i, j)) {
        weight += A[i * n + j] / n;
        even += 1 / (n * n);
      }
    return even < 1 ? (weight - even) / (1 - even) : 0;
  }

  function both(i, j) { return Math.min(A[i * n + j], A[j * n + i]) * n > 1 + 1e-6; }
  var favorite = names(n, function (i) { return row(i).indexOf(Math.max.apply(null, row(i))); });
  var received = names(n, function (j) { return n * mean(function (i) { return A[i * n + j]; }); });
  var column = received.indexOf(Math.max.apply(null, received));
  var partnered = names(n, function (i) { return names(n, Number).some(function (j) { return j !== i && both(i, j); }); });
  var tokens = mean(function (i) { return Math.exp(-row(i).reduce(function (sum, w) { return sum + (w > 0 ? w * Math.log(w) : 0); }, 0)); });
  var scores = [
    excess(function (i, j) { return i === j; }),
    excess(function (i, j) { return j === column; }),
    excess(function (i, j) { return j < i || i + j === 0; }),
    excess(function (i, j) { return j > i || i + j === 2 * n - 2; }),
    excess(function (i, j) { return i !== j && both(i, j) || i === j && partnered[i]; }),
    excess(function (i, j) { return j === favorite[i]; }) * new Set(favorite).size / n,
    (tokens - 1) / (n - 1),
  ];
  return gates[scores.concat(1).findIndex(function (score) { return score >= 0.5; })];
}
