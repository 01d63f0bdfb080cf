// Vectors as bars, and short numbers; neurons.py draws and writes the same.
var HALF = 20;

function most(values, least) {
  return values.reduce(function (x, y) { return Math.max(x, Math.abs(y)); }, least);
}

// At most seven characters, with a true minus sign.
function number(x) {
  return x.toFixed(Math.abs(x) >= 99.995 ? 1 : 2).replace("-", "\u2212");
}

// A vector as bars, up for positive and down for negative: two paths, however many coordinates.
function bars(values, top, key) {
  var up = "M0 " + HALF, down = up;
  values.forEach(function (x) {
    var height = Math.round(x / top * HALF);
    up += "V" + (HALF - Math.max(height, 0)) + "h1";
    down += "V" + (HALF - Math.min(height, 0)) + "h1";
  });
  return TL.svg("svg", { "aria-hidden": "true", viewBox: "0 0 " + values.length + " " + 2 * HALF, preserveAspectRatio: "none", "data-key": key }, [
    TL.svg("path", { "class": "tl-up", d: up + "V" + HALF + "z" }), TL.svg("path", { "class": "tl-down", d: down + "V" + HALF + "z" })]);
}
