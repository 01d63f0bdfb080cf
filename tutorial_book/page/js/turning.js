// Hands that turn with positions, and a dot on the curve of the score.
const RADIUS = 40; // of a clock, which the longest hand reaches
const LEFT = 46, RIGHT = 430, TOP = 10, BOTTOM = 112; // the frame of the curve

function draw(view) {
  const turning = { view: view, at: view.data.at.slice() };
  show(turning);
  if (!view.still) controls(turning);
}

function show(turning) {
  const { data, picture, say } = turning.view, [m, j] = turning.at, all = shares(data, turning.at), score = all.reduce(sum);
  const unit = RADIUS / (Math.max(...data.pairs.flat().map(function (pair) { return Math.hypot(...pair); })) || 1);
  const clocks = all.map(function (share, i) { return clock(i, turned(data, turning.at, i), unit, share); });
  picture.replaceChildren(TL.el("div", { "class": "tl-turning" }, clocks), curve(data, m - j, score));
  say("Query at " + m + ", key at " + j + ": " + Math.abs(m - j) + (Math.abs(m - j) === 1 ? " place" : " places") + " apart. Score " + TL.number(score) + ".");
}

function clock(i, hands, unit, share) {
  const lines = hands.map(function ([x, y], j) {
    return TL.svg("line", { "class": "tl-" + ["query", "key"][j], x2: (unit * x).toFixed(2), y2: (-unit * y).toFixed(2) });
  });
  const face = { viewBox: "-44 -44 88 88", role: "img", "aria-label": "Pair " + i + ": the hands of query and key" };
  return TL.el("div", { "class": "tl-pair" }, [TL.svg("svg", face, [TL.svg("circle", { r: RADIUS }), ...lines]),
    TL.el("div", {}, ["pair " + i, TL.el("br"), TL.el("b", { "data-value": share }, TL.number(share))])]);
}

// The score by distance, which does not change, and a dot where the two tokens are.
function curve(data, distance, score) {
  const most = data.most, half = Math.floor(most / 2), points = [];
  for (let x = -most; x <= most; x += 0.25) points.push([x, shares(data, [x, 0]).reduce(sum)]);
  const scores = points.map(function (point) { return point[1]; }), low = Math.min(...scores), high = Math.max(...scores);
  function place(x, y) {
    return [LEFT + (RIGHT - LEFT) * (x + most) / (2 * most), BOTTOM - (BOTTOM - TOP) * (y - low) / (high - low || 1)].map(function (z) { return z.toFixed(1); });
  }
  function label(x, y, anchor, text) { return TL.svg("text", { x: x, y: y, "text-anchor": anchor }, text); }
  const path = points.map(function ([x, y]) { return place(x, y).join(" "); }), [cx, cy] = place(distance, score);
  return TL.svg("svg", { "class": "tl-distance", viewBox: "0 0 440 150", role: "img",
    "aria-label": "Score by distance, with a dot at the distance of the two tokens" }, [
    ...[-most, -half, 0, half, most].map(function (x) { return label(place(x, 0)[0], BOTTOM + 16, "middle", TL.number(x, 0)); }),
    ...[low, high].map(function (y) { return label(LEFT - 6, +place(0, y)[1] + 4, "end", TL.number(y)); }),
    label((LEFT + RIGHT) / 2, BOTTOM + 34, "middle", "how many positions the query comes after the key"),
    TL.svg("path", { d: "M" + path.join("L") }), TL.svg("circle", { cx: cx, cy: cy, r: 6 })]);
}

function controls(turning) {
  const data = turning.view.data;
  turning.ranges = ["query at", "key at"].map(function (label, i) {
    const options = { min: 0, max: data.most, value: data.at[i] };
    return TL.range(turning.view, label, options, String, function () { moved(turning, i); });
  });
  turning.both = TL.checkbox(turning.view, "keep their distance", true, function () {});
}

// One was moved: the other goes along, as far as the text goes.
function moved(turning, i) {
  const ranges = turning.ranges, other = 1 - i, most = turning.view.data.most;
  if (turning.both.checked) {
    const apart = turning.at[other] - turning.at[i];
    const place = Math.min(most - Math.max(apart, 0), Math.max(-Math.min(apart, 0), +ranges[i].value));
    set(ranges[i], place);
    set(ranges[other], place + apart);
  }
  turning.at = ranges.map(function (range) { return +range.value; });
  show(turning);
}

function set(range, value) {
  range.value = value;
  range.setAttribute("aria-valuetext", String(value));
  range.parentElement.querySelector("output").textContent = String(value);
}

// Query and key of a pair of coordinates, turned to their positions.
function turned(data, at, i) {
  return at.map(function (place, j) {
    const [x, y] = data.pairs[j][i], c = Math.cos(place * data.frequencies[i]), s = Math.sin(place * data.frequencies[i]);
    return [x * c - y * s, y * c + x * s];
  });
}

// What each pair adds to the score.
function shares(data, at) {
  return data.frequencies.map(function (_, i) {
    const [q, k] = turned(data, at, i);
    return (q[0] * k[0] + q[1] * k[1]) / Math.sqrt(2 * data.frequencies.length);
  });
}

function sum(a, b) { return a + b; }
