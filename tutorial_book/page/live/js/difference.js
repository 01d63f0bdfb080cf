// A difference of two sentences among the contrasts.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var one = await live.nearest(texts[0], 0, { model: data.live }), other = await live.nearest(texts[1], 0, { model: data.live });
  var difference = other.vector.map(function (x, k) { return x - one.vector[k]; }), d = difference.length;
  if (!difference.some(Boolean)) throw new Error("Both sentences are the same: there is no difference to follow.");
  var directions = TL.floats(data.directions);
  var found = data.names.map(function (_, i) { return TL.cosine(difference, directions.subarray(i * d, (i + 1) * d)); });
  return { note: TL.cut(one.cut ? one : other), found: found };
}

// Which contrast the difference follows most, and how many lie beyond chance.
function charts(found, data) {
  var rows = data.names.map(function (name, i) { return [name, found[i]]; });
  var most = rows.reduce(function (a, b) { return Math.abs(b[1]) > Math.abs(a[1]) ? b : a; });
  var beyond = rows.filter(function (row, i) { return row[1] < data.band[i][0] || row[1] > data.band[i][1]; }).length;
  return [["", { kind: "bars", rows: rows, low: -1, band: data.band }, "Most " + (most[1] > 0 ? "along " : "against ") + most[0] +
    ": cosine " + TL.number(most[1]) + ". " + beyond + " of " + rows.length + " lie beyond chance."]];
}
