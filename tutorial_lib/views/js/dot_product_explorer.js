// Two vectors in the plane. Their tips can be dragged, moved by arrow keys, or typed as numbers.
const REACH = 3, SIZE = 300; // REACH as in explorables.py

function draw(view) {
  const explorer = { view: view, vectors: { a: view.data.a.slice(), b: view.data.b.slice() }, coordinates: {}, fields: {}, tips: {} };
  ["a", "b"].forEach(function (name) {
    const tip = { line: TL.svg("line"), circle: TL.svg("circle", { r: 6 }), letter: TL.svg("text", {}, name) };
    tip.group = TL.svg("g", { "class": "tl-" + name }, [tip.line, tip.circle, tip.letter]);
    explorer.tips[name] = tip;
    explorer.coordinates[name] = explorer.vectors[name].map(function (x) { return TL.el("span", {}, written(x)); });
  });
  explorer.between = TL.svg("g"); // what lies between the arrows
  explorer.rows = TL.el("tbody");
  view.picture.replaceChildren(TL.el("div", { "class": "tl-dot" }, [plane(explorer), TL.el("div", {}, numbers(explorer))]));
  refresh(explorer);
  if (!view.still) controls(explorer);
}

function plane(explorer) {
  const grid = [];
  for (let i = 1 - REACH; i < REACH; i++)
    grid.push(TL.svg("path", { "class": i ? "tl-grid" : "tl-axis", d: "M" + X(i) + " 0V" + SIZE + "M0 " + Y(i) + "H" + SIZE }));
  function unit(x, y) { return TL.svg("text", { "class": "tl-unit", x: x, y: y }, "1"); }
  return TL.svg("svg", { "class": "tl-plane", viewBox: "0 0 " + SIZE + " " + SIZE, role: "group", "aria-label": "The plane with a and b" }, grid.concat(
    explorer.between, unit(X(1) - 3, Y(0) + 14), unit(X(0) - 12, Y(1) + 4), explorer.tips.a.group, explorer.tips.b.group));
}

function numbers(explorer) {
  const lines = ["a", "b"].map(function (name) {
    const [x, y] = explorer.coordinates[name];
    return TL.el("span", {}, [TL.el("b", {}, name), " = (", x, ", ", y, ")"]);
  });
  return [TL.el("p", { "class": "tl-vectors" }, lines), TL.el("table", { "class": "tl-measures" }, explorer.rows)];
}

function controls(explorer) {
  const view = explorer.view;
  ["a", "b"].forEach(function (name) {
    explorer.fields[name] = explorer.coordinates[name].map(function (place, j) {
      const field = coordinate(explorer, name, j);
      place.replaceWith(field);
      return field;
    });
    movable(explorer, name);
  });
  button(view, "Reset", function () {
    move(explorer, "a", view.data.a);
    move(explorer, "b", view.data.b);
  });
  view.controls.append(TL.el("span", { class: "tl-hint" }, "Drag a tip, or focus it and press the arrow keys."));
}

function coordinate(explorer, name, j) {
  return numberField(explorer.view, name + ", coordinate " + (j + 1), explorer.vectors[name][j], REACH, function (value) {
    explorer.vectors[name][j] = value;
    refresh(explorer);
  });
}

function movable(explorer, name) {
  const circle = explorer.tips[name].circle;
  const large = 13; // 26 wide at least: large enough for a finger
  TL.fill(circle, { r: large, tabindex: 0, role: "button", "aria-roledescription": "point that arrow keys move" });
  circle.addEventListener("pointerdown", function (event) { circle.setPointerCapture(event.pointerId); });
  circle.addEventListener("pointermove", function (event) {
    if (!circle.hasPointerCapture(event.pointerId)) return;
    const box = circle.ownerSVGElement.getBoundingClientRect();
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
  const cross = Math.abs(a[0] * b[1] - a[1] * b[0]); // for atan2, which is exact when acos is not: near 0 and 180 degrees
  return {
    "length of a": lengthA, "length of b": lengthB, angle: cosine === null ? null : Math.atan2(cross, dot) * 180 / Math.PI,
    cosine: cosine, "dot product": dot, "projection of b on a": lengthA ? dot / lengthA : null,
  };
}

function refresh(explorer) {
  const a = explorer.vectors.a, b = explorer.vectors.b, values = measures(a, b);
  explorer.rows.replaceChildren(...Object.entries(values).map(function ([name, value]) {
    const cell = TL.el("td", { "data-name": name, "data-value": value }, told(name, value));
    return TL.el("tr", {}, [TL.el("th", { scope: "row" }, name), cell]);
  }));
  const squared = a[0] * a[0] + a[1] * a[1], share = squared ? (a[0] * b[0] + a[1] * b[1]) / squared : 0;
  const foot = [share * a[0], share * a[1]];
  ["a", "b"].forEach(function (name) { place(explorer, name); });
  explorer.between.replaceChildren(line(TL.svg("line", { "class": "tl-shadow" }), [0, 0], foot),
    line(TL.svg("line", { "class": "tl-drop" }), b, foot), TL.svg("path", { "class": "tl-arc", d: arc(a, b) }));
  explorer.view.say(relation(a, b, values));
}

function place(explorer, name) {
  const point = explorer.vectors[name], tip = explorer.tips[name];
  line(tip.line, [0, 0], point);
  TL.fill(tip.circle, { cx: X(point[0]), cy: Y(point[1]) });
  if (!explorer.view.still) tip.circle.setAttribute("aria-label", "tip of " + name + " at " + point.map(written).join(", "));
  const inside = [point[0] > REACH - 0.5 ? -18 : 14, point[1] > REACH - 0.5 ? 20 : -10]; // the letter stays in the picture
  TL.fill(tip.letter, { x: X(point[0]) + inside[0], y: Y(point[1]) + inside[1] });
}

function line(element, from, to) {
  return TL.fill(element, { x1: X(from[0]), y1: Y(from[1]), x2: X(to[0]), y2: Y(to[1]) });
}

// The angle between a and b, less than half a turn; empty if one of them has no direction.
function arc(a, b) {
  if (!Math.hypot(...a) || !Math.hypot(...b)) return "";
  const ends = [a, b].map(function (v) {
    return (X(0) + 28 * v[0] / Math.hypot(...v)).toFixed(1) + " " + (Y(0) - 28 * v[1] / Math.hypot(...v)).toFixed(1);
  });
  return "M" + ends[0] + "A28 28 0 0 " + (a[0] * b[1] < a[1] * b[0] ? 1 : 0) + " " + ends[1];
}

function X(value) { return +(SIZE / 2 + value * SIZE / (2 * REACH)).toFixed(2); }

function Y(value) { return SIZE - X(value); }

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
