// Hands that turn with positions, and a dot on the curve of the score. The picture stands already; this moves its parts.
const EDGES = { left: 46, right: 430, top: 10, bottom: 112 }; // as in turning.py

function draw(view) {
  const data = view.data, turning = { view: view, at: data.at.slice() };
  const show = function (value) { return String(value); };
  turning.ranges = ["query at", "key at"].map(function (label, i) {
    const options = { min: 0, max: data.most, value: data.at[i] };
    return TL.range(view, label, options, show, function () { moved(turning, i); });
  });
  turning.both = TL.checkbox(view, "keep their distance", true, function () {});
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
  refresh(turning);
}

function set(range, value) {
  range.value = value;
  range.setAttribute("aria-valuetext", String(value));
  range.parentElement.querySelector("output").textContent = String(value);
}

function refresh(turning) {
  const data = turning.view.data, picture = turning.view.picture, n = data.frequencies.length;
  let score = 0;
  picture.querySelectorAll(".tl-pair").forEach(function (clock, i) {
    const hands = turning.at.map(function (place, j) { return turned(data.pairs[j][i], place * data.frequencies[i]); });
    ["query", "key"].forEach(function (name, j) {
      TL.fill(clock.querySelector(".tl-" + name), { x2: data.unit * hands[j][0], y2: -data.unit * hands[j][1] });
    });
    const share = (hands[0][0] * hands[1][0] + hands[0][1] * hands[1][1]) / Math.sqrt(2 * n), cell = clock.querySelector("b");
    cell.dataset.value = share;
    cell.textContent = two(share);
    score += share;
  });
  const distance = turning.at[0] - turning.at[1];
  TL.fill(picture.querySelector(".tl-distance circle"), {
    cx: EDGES.left + (EDGES.right - EDGES.left) * (distance + data.most) / (2 * data.most),
    cy: EDGES.bottom - (EDGES.bottom - EDGES.top) * (score - data.low) / (data.high - data.low || 1),
  });
  turning.view.say("Query at " + turning.at[0] + ", key at " + turning.at[1] + ": " + Math.abs(distance) +
    (Math.abs(distance) === 1 ? " place" : " places") + " apart. Score " + two(score) + ".");
}

function turned(pair, angle) {
  const c = Math.cos(angle), s = Math.sin(angle);
  return [pair[0] * c - pair[1] * s, pair[1] * c + pair[0] * s];
}

function two(value) {
  return value.toFixed(2).replace("-0.00", "0.00").replace("-", "−");
}
