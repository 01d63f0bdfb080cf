// Two paths of one word in one plane.
function draw(view) { asking(view, measure, charts); }

async function measure(texts, live, data) {
  var deep = depths(data);
  var one = await wordVectors(live, data, texts[0], deep), other = await wordVectors(live, data, texts[1], deep);
  var shared = sharedWords(one.words, other.words);
  if (!shared.length) throw new Error("These two texts share no word. Use one word in both.");
  var found = shared.map(function (pair) {
    var a = pair[0].vectors, b = pair[1].vectors, picture = plane(a.concat(b));
    function apart(k) { return Math.hypot.apply(null, Array.from(a[k], function (x, i) { return x - b[k][i]; })); }
    return [pair[0].name, picture.points, [apart(0), apart(data.layers)], picture.share];
  });
  function rank(path) { return path[0] === data.word ? Infinity : path[2][1]; }
  found.sort(function (x, y) { return rank(y) - rank(x); }); // the word that parts most comes first
  return { note: one.note || other.note, found: found };
}

// found: of each word its name, its points in both texts, how far apart they are at first and at last, and the plane's share.
function charts(found, data) {
  return found.map(function ([name, points, [start, end], share]) {
    var paths = [[quoted(name) + " in the first text", points.slice(0, data.layers + 1)], ["in the second", points.slice(data.layers + 1)]];
    return [name, { kind: "paths", paths: paths }, "The two paths of " + quoted(name) + " lie " + start.toFixed(1) + " apart before the first layer and " +
      end.toFixed(1) + " after the last; the plane holds " + (100 * share).toFixed(0) + "% of their variance."];
  });
}

// Points in their two principal components, with the signs that Python gives them, and the share of the variance there.
// There are few points and many coordinates: so the eigenvectors are those of the products of the centered points.
function plane(points) {
  var n = points.length, d = points[0].length;
  var centered = points.map(function (point) { return Float64Array.from(point); });
  for (var k = 0; k < d; k++) {
    var mean = centered.reduce(function (sum, point) { return sum + point[k]; }, 0) / n;
    centered.forEach(function (point) { point[k] -= mean; });
  }
  function dot(x, y) { return x.reduce(function (sum, value, i) { return sum + value * y[i]; }, 0); }
  var products = centered.map(function (x) { return centered.map(function (y) { return dot(x, y); }); });
  var total = products.reduce(function (sum, row, i) { return sum + row[i]; }, 0), held = 0;
  var axes = [0, 1].map(function () {
    var v = names(n, function (i) { return Math.sin(i + 1); }), length = 1; // no eigenvector is at right angles to it, but by a rare chance
    for (var turn = 0; turn < 500; turn++) { // power iteration
      v = products.map(function (row) { return dot(row, v); });
      length = Math.hypot.apply(null, v) || 1;
      v = v.map(function (x) { return x / length; });
    }
    products.forEach(function (row, i) { row.forEach(function (_, j) { row[j] -= length * v[i] * v[j]; }); });
    held += length;
    var largest = 0;
    for (var k = 0; k < d; k++) {
      var entry = centered.reduce(function (sum, point, i) { return sum + v[i] * point[k]; }, 0);
      if (Math.abs(entry) > Math.abs(largest) + 1e-6) largest = entry;
    }
    return v.map(function (x) { return x * Math.sqrt(length) * (largest < 0 ? -1 : 1); });
  });
  return { points: axes[0].map(function (x, i) { return [x, axes[1][i]]; }), share: held / total };
}
