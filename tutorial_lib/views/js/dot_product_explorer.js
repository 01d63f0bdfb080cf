// Two vectors in the plane. Their tips can be dragged, moved by arrow keys, or typed as numbers.
const REACH = 3, SIZE = 300; // as in explorables.py

function draw(view) {
  const explorer = { view: view, vectors: { a: view.data.a.slice(), b: view.data.b.slice() }, fields: {}, tips: {} };
  const lines = view.picture.querySelector(".tl-vectors");
  lines.replaceChildren();
  ["a", "b"].forEach(function (name) {
    explorer.fields[name] = [0, 1].map(function (j) { return coordinate(explorer, name, j); });
    lines.append(TL.el("span", {}, [TL.el("b", {}, name), " = (", explorer.fields[name][0], ", ", explorer.fields[name][1], ")"]));
    explorer.tips[name] = tip(explorer, name);
  });
  button(view, "Reset", function () {
    move(explorer, "a", view.data.a);
    move(explorer, "b", view.data.b);
  });
  view.controls.append(TL.el("span", { class: "tl-hint" }, "Drag a tip, or focus it and press the arrow keys."));
  refresh(explorer);
}

function coordinate(explorer, name, j) {
  return numberField(explorer.view, name + ", coordinate " + (j + 1), explorer.vectors[name][j], REACH, function (value) {
    explorer.vectors[name][j] = value;
    refresh(explorer);
  });
}

function tip(explorer, name) {
  const group = explorer.view.picture.querySelector(".tl-" + name);
  const circle = group.querySelector("circle");
  circle.setAttribute("r", 13); // 26 wide at least: large enough for a finger
  const attributes = { tabindex: 0, role: "button", "aria-roledescription": "point that arrow keys move" };
  TL.fill(circle, attributes);
  circle.addEventListener("pointerdown", function (event) { circle.setPointerCapture(event.pointerId); });
  circle.addEventListener("pointermove", function (event) {
    if (!circle.hasPointerCapture(event.pointerId)) return;
    const box = group.ownerSVGElement.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width * 2 - 1) * REACH, y = (1 - (event.clientY - box.top) / box.height * 2) * REACH;
    move(explorer, name, [x, y]);
  });
  circle.addEventListener("keydown", function (event) {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!direction || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const length = event.shiftKey ? 0.5 : 0.1;
    move(explorer, name, explorer.vectors[name].map(function (x, j) { return x + length * direction[j]; }));
  });
  return circle;
}

// To the nearest tenth inside the plane.
function move(explorer, name, point) {
  explorer.vectors[name] = point.map(function (x) { return Math.round(10 * Math.max(-REACH, Math.min(REACH, x))) / 10 + 0; });
  explorer.fields[name].forEach(function (field, j) {
    field.set(explorer.vectors[name][j]);
    complain(explorer.view, field, "");
  });
  refresh(explorer);
}

function measures(a, b) {
  const lengthA = Math.hypot(...a), lengthB = Math.hypot(...b), dot = a[0] * b[0] + a[1] * b[1];
  const cosine = lengthA && lengthB ? Math.max(-1, Math.min(1, dot / (lengthA * lengthB))) : null;
  const cross = Math.abs(a[0] * b[1] - a[1] * b[0]); // for atan2, which is exact where acos is not: near 0 and 180 degrees
  return {
    "length of a": lengthA, "length of b": lengthB, angle: cosine === null ? null : Math.atan2(cross, dot) * 180 / Math.PI,
    cosine: cosine, "dot product": dot, "projection of b on a": lengthA ? dot / lengthA : null,
  };
}

function refresh(explorer) {
  const a = explorer.vectors.a, b = explorer.vectors.b, values = measures(a, b);
  explorer.view.picture.querySelectorAll("[data-name]").forEach(function (cell) {
    cell.dataset.value = values[cell.dataset.name];
    cell.textContent = told(cell.dataset.name, values[cell.dataset.name]);
  });
  const squared = a[0] * a[0] + a[1] * a[1], share = squared ? (a[0] * b[0] + a[1] * b[1]) / squared : 0;
  const foot = [share * a[0], share * a[1]];
  ["a", "b"].forEach(function (name) { place(explorer, name); });
  line(explorer.view.picture.querySelector(".tl-shadow"), [0, 0], foot);
  line(explorer.view.picture.querySelector(".tl-drop"), b, foot);
  explorer.view.picture.querySelector(".tl-arc").setAttribute("d", arc(a, b));
  explorer.view.say(relation(a, b, values));
}

function place(explorer, name) {
  const point = explorer.vectors[name], group = explorer.view.picture.querySelector(".tl-" + name);
  line(group.querySelector("line"), [0, 0], point);
  TL.fill(explorer.tips[name], { cx: X(point[0]), cy: Y(point[1]), "aria-label": "tip of " + name + " at " + point.map(written).join(", ") });
  const inside = [point[0] > REACH - 0.5 ? -18 : 14, point[1] > REACH - 0.5 ? 20 : -10]; // the letter stays in the picture
  TL.fill(group.querySelector("text"), { x: X(point[0]) + inside[0], y: Y(point[1]) + inside[1] });
}

function line(element, from, to) {
  TL.fill(element, { x1: X(from[0]), y1: Y(from[1]), x2: X(to[0]), y2: Y(to[1]) });
}

// The angle between a and b, less than half a turn; empty where one of them has no direction.
function arc(a, b) {
  if (!Math.hypot(...a) || !Math.hypot(...b)) return "";
  const ends = [a, b].map(function (v) {
    return (X(0) + 28 * v[0] / Math.hypot(...v)) + " " + (Y(0) - 28 * v[1] / Math.hypot(...v));
  });
  return "M" + ends[0] + "A28 28 0 0 " + (a[0] * b[1] < a[1] * b[0] ? 1 : 0) + " " + ends[1];
}

function X(value) { return SIZE / 2 + value * SIZE / (2 * REACH); }

function Y(value) { return SIZE / 2 - value * SIZE / (2 * REACH); }

function told(name, value) {
  if (value === null) return "not defined";
  return name === "angle" ? shown(value, 1) + "°" : shown(value);
}

function relation(a, b, values) {
  const n = function (x) { return written(x).replace("-", "−"); };
  const sums = "a · b = " + n(a[0]) + " × " + n(b[0]) + " + " + n(a[1]) + " × " + n(b[1]) + " = " + shown(values["dot product"]) + ".";
  if (values.angle === null) return sums + " A zero vector has no direction, so there is no angle and no cosine.";
  if (Math.abs(values["dot product"]) < 1e-9) return sums + " The vectors are perpendicular.";
  const positive = values["dot product"] > 0;
  return sums + " The angle is " + told("angle", values.angle) + ", " + (positive ? "below" : "above") +
    " 90°, so the dot product is " + (positive ? "positive" : "negative") + ".";
}
