// A cloud of points that turns. It is SVG, so that it prints sharp and follows the page's colors; all points of one
// kind and depth are a single path, so that thousands of them stay fast.
function draw(view) {
  var data = view.data, cloud = Cloud(data), n = cloud.n;
  var svg = TL.svg("svg", { role: "img", "aria-label": data.alt }), stage = TL.el("div", { "class": "tl-stage" }, svg);
  var size = { width: 0, height: 0 }, waiting = false, hovered = -1, touched = false;
  var turn = { value: data.turn }, tilt = { value: data.tilt }, zoom = { value: 1 }, which = { value: 0 }; // until there are sliders
  view.picture.replaceChildren.apply(view.picture, [stage].concat(legend(data), table(cloud, data)));
  view.say(count(cloud, data));
  paint();
  if (!view.still) controls();

  function controls() {
    turn = degrees("Turn", 0, 360, data.turn);
    tilt = degrees("Tilt", -90, 90, data.tilt);
    zoom = TL.range(view, "Zoom", { min: 1, max: 6, step: 0.25, value: 1 }, function (z) { return z + "×"; }, soon);
    which = TL.range(view, "Point", { min: 0, max: n - 1, step: 1, value: 0 }, cloud.name, function () {
      touched = true;
      hovered = -1;
      view.say(cloud.tell(+which.value));
      soon();
    });
    Player(view, turn, soon);
    TL.fill(stage, { tabindex: 0, role: "application", "aria-label": "The cloud: arrow keys turn it, plus and minus zoom" });
    stage.addEventListener("keydown", keys);
    drag();
    svg.addEventListener("pointerleave", function () { hover(-1); });
    new ResizeObserver(soon).observe(stage);
  }

  function degrees(label, min, max, value) {
    return TL.range(view, label, { min: min, max: max, step: 1, value: value }, function (d) { return d + "°"; }, soon);
  }

  // At most one drawing for each frame of the screen.
  function soon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; paint(); });
  }

  function paint() {
    var width = Math.max(260, Math.min(720, Math.floor(stage.clientWidth) || 420));
    size = { width: width, height: Math.round(Math.min(480, width * 0.8)) };
    TL.fill(svg, { viewBox: "0 0 " + size.width + " " + size.height, width: size.width, height: size.height });
    cloud.project(+turn.value, +tilt.value, +zoom.value, size);
    svg.replaceChildren.apply(svg, cloud.axes("line").concat(cloud.marks(), cloud.axes("text"), chosen()));
  }

  // The chosen point, or the one under the mouse, with its name.
  function chosen() {
    var i = hovered >= 0 ? hovered : touched ? +which.value : -1;
    if (i < 0) return [];
    var x = cloud.x[i], y = cloud.y[i], left = x > size.width / 2;
    return [
      TL.svg("circle", { class: "tl-ring", cx: x, cy: y, r: 7 }),
      TL.svg("text", { class: "tl-tip", x: x + (left ? -11 : 11), y: y + 4, "text-anchor": left ? "end" : "start" },
        shorten(cloud.name(i))),
    ];
  }

  function hover(i) {
    if (i === hovered) return;
    hovered = i;
    if (i >= 0) view.say(cloud.tell(i));
    soon();
  }

  function move(input, value) {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  }

  function rotate(right, up) {
    if (right) move(turn, (+turn.value + right + 360) % 360);
    if (up) move(tilt, +tilt.value + up);
  }

  function keys(event) {
    var step = { ArrowLeft: [-5, 0], ArrowRight: [5, 0], ArrowUp: [0, 5], ArrowDown: [0, -5] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) rotate(step[0], step[1]);
    else if (event.key === "+" || event.key === "-") move(zoom, +zoom.value + (event.key === "+" ? 0.25 : -0.25));
    else return;
    event.preventDefault();
  }

  // Drag turns; a click without a drag chooses the point. On a touch screen a vertical stroke scrolls the page, and tilts
  // nothing: that is what the slider is for.
  function drag() {
    var from = null, moved = false;
    svg.addEventListener("pointerdown", function (event) {
      from = [event.clientX, event.clientY];
      moved = false;
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", function (event) {
      if (!from) { hover(nearest(event)); return; }
      var dx = event.clientX - from[0], dy = event.clientY - from[1];
      if (event.pointerType === "touch") {
        if (!moved && Math.abs(dx) <= Math.abs(dy)) return;
        dy = 0;
      }
      if (!moved && Math.abs(dx) + Math.abs(dy) < 4) return;
      moved = true;
      from = [event.clientX, event.clientY];
      rotate(Math.round(dx * 0.6), Math.round(dy * 0.6));
    });
    svg.addEventListener("pointerup", function (event) {
      var i = from && !moved ? nearest(event) : -1;
      from = null;
      if (i >= 0) move(which, i);
    });
    svg.addEventListener("pointercancel", function () { from = null; });
  }

  function nearest(event) {
    var box = svg.getBoundingClientRect(), scale = size.width / box.width;
    return cloud.nearest((event.clientX - box.left) * scale, (event.clientY - box.top) * scale, 16);
  }
}

// Of the groups, by shape and color, or of the values, by color.
function legend(data) {
  function swatch(kind) {
    return TL.svg("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" }, mark(data, kind, 2, outline(shape(data, kind), 7, 7, 4), 4));
  }
  if (!data.steps && !data.groups.length) return [];
  if (!data.steps) return TL.el("p", { "class": "tl-legend" }, data.groups.map(function (name, i) { return TL.el("span", {}, [swatch(i), " " + name]); }));
  var dots = Array.from({ length: data.steps }, function (_, step) { return swatch(step); });
  return TL.el("p", { "class": "tl-legend" }, TL.el("span", {}, [data.color + ": " + data.range[0] + " "].concat(dots, " " + data.range[1])));
}

// The numbers themselves, folded: the first points' coordinates.
function table(cloud, data) {
  var ROWS = 50, first = Math.min(ROWS, cloud.n), points = cloud.n.toLocaleString("en-US") + " points";
  var heads = ["point"].concat(data.axes).map(function (name) { return TL.el("th", { scope: "col" }, name); });
  var rows = Array.from({ length: first }, function (_, i) {
    var cells = cloud.at(i).map(function (x) { return TL.el("td", {}, x.toFixed(data.digits).replace(/^-(0\.?0*)$/, "$1")); });
    return TL.el("tr", {}, [TL.el("th", { scope: "row" }, cloud.name(i))].concat(cells));
  });
  return TL.el("details", { "class": "tl-numbers" }, [
    TL.el("summary", {}, "Table of " + (first === cloud.n ? "all " : "the first " + first + " of ") + points),
    TL.el("table", {}, [TL.el("thead", {}, TL.el("tr", {}, heads)), TL.el("tbody", {}, rows)])]);
}

// What there is to see, in words.
function count(cloud, data) {
  var groups = data.groups.map(function (name, kind) {
    var plural = SHAPES[kind] + (/s$/.test(SHAPES[kind]) ? "es" : "s");
    return name + ": " + cloud.of.filter(function (one) { return one === kind; }).length + " (" + plural + ")";
  });
  var color = data.steps ? "color shows " + data.color + ", from " + data.range[0] + " to " + data.range[1] : "";
  var points = cloud.n.toLocaleString("en-US") + (cloud.n > 1 ? " points" : " point") + " in " + data.axes.length + " dimensions";
  return [points, groups.join(", "), color, data.path ? "a line joins each point to the next" : ""].filter(Boolean).join("; ") + ".";
}

function shorten(text) {
  var letters = Array.from(text);
  return letters.length > 40 ? letters.slice(0, 39).join("") + "…" : text;
}

// A button that lets the cloud turn until it is pressed again; not there for readers who asked for less motion.
function Player(view, turn, soon) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  var button = TL.el("button", { type: "button" }, "Play"), playing = false, last = 0, angle = 0;
  button.addEventListener("click", function () {
    playing = !playing;
    button.textContent = playing ? "Pause" : "Play";
    angle = +turn.value;
    last = performance.now();
    if (playing) requestAnimationFrame(step);
    else turn.dispatchEvent(new Event("input")); // only now, or its text would be read out at each step
  });
  view.controls.append(button);

  function step(now) {
    if (!playing || !button.isConnected) return;
    if (Math.abs(angle - turn.value) > 2) angle = +turn.value; // the reader turned it meanwhile
    angle = (angle + Math.min(100, now - last) * 0.02) % 360;
    last = now;
    turn.value = angle;
    soon();
    requestAnimationFrame(step);
  }
}

var SHAPES = ["circle", "square", "triangle", "diamond", "plus", "cross"]; // of groups; values are circles

function shape(data, kind) { return data.steps ? "circle" : SHAPES[kind]; }

// All points of one kind and one depth as a path.
function mark(data, kind, layer, d, radius) {
  var name = shape(data, kind), looks = { "class": "tl-" + name + (data.steps ? " tl-step" : " tl-kind") + kind + " tl-layer" + layer, d: d };
  if (name === "circle") looks["stroke-width"] = +(2 * radius).toFixed(2);
  return TL.svg("path", looks);
}

function outline(shape, x, y, r) {
  function at(dx, dy) { return "M" + (x + dx * r).toFixed(1) + " " + (y + dy * r).toFixed(1); }
  function by(letter, dx, dy) { return letter + (dx * r).toFixed(1) + (dy === undefined ? "" : " " + (dy * r).toFixed(1)); }
  if (shape === "circle") return at(0, 0) + "h0"; // a line of no length with round ends
  if (shape === "square") return at(-1, -1) + by("h", 2) + by("v", 2) + by("h", -2) + "z";
  if (shape === "triangle") return at(0, -1.2) + by("l", 1.2, 2.1) + by("h", -2.4) + "z";
  if (shape === "diamond") return at(0, -1.4) + by("l", 1.4, 1.4) + by("l", -1.4, 1.4) + by("l", -1.4, -1.4) + "z";
  if (shape === "plus") return at(-1.2, 0) + by("h", 2.4) + at(0, -1.2) + by("v", 2.4);
  return at(-1, -1) + by("l", 2, 2) + at(-1, 1) + by("l", 2, -2);
}

// The points, their positions in the picture, and its SVG.
function Cloud(data) {
  var packed = new Uint16Array(TL.bytes(data.points).buffer), of = TL.bytes(data.of), n = of.length;
  var unit = Float64Array.from(packed, function (v) { return (v / 65535) * 2 - 1; });
  var x = new Float64Array(n), y = new Float64Array(n), near = new Float64Array(n), view = null;
  var cloud = { n: n, of: of, x: x, y: y, name: name, at: at, tell: tell, project: project, axes: axes, marks: marks, nearest: nearest };
  return cloud;

  function name(i) { return data.labels ? data.labels[i] : "point " + i; }

  function at(i) { return data.axes.map(function (_, j) { return data.center[j] + data.radius * unit[3 * i + j]; }); }

  function tell(i) {
    var place = at(i);
    return name(i) + ": " + data.axes.map(function (axis, j) { return axis + " " + Number(place[j].toFixed(data.digits)); }).join(", ");
  }

  function project(turn, tilt, zoom, size) {
    var a = (turn * Math.PI) / 180, t = (tilt * Math.PI) / 180;
    view = { ca: Math.cos(a), sa: Math.sin(a), ct: Math.cos(t), st: Math.sin(t), size: size,
             scale: 0.44 * Math.min(size.width, size.height) * zoom };
    for (var i = 0; i < n; i++) {
      var p = place(unit[3 * i], unit[3 * i + 1], unit[3 * i + 2]);
      x[i] = p[0];
      y[i] = p[1];
      near[i] = p[2];
    }
  }

  function place(px, py, pz) {
    var right = px * view.ca + pz * view.sa, back = pz * view.ca - px * view.sa;
    var up = py * view.ct - back * view.st, close = py * view.st + back * view.ct;
    var scale = (view.scale * 3) / (3 - close);
    return [view.size.width / 2 + scale * right, view.size.height / 2 - scale * up, close];
  }

  // Their lines, or their names, which are above the points.
  function axes(tag) {
    var far = -Math.sqrt(1 / 3), corner = [far, far, data.axes.length === 3 ? far : 0];
    var start = place.apply(null, corner), parts = [];
    data.axes.forEach(function (text, i) {
      var end = corner.slice();
      end[i] = -corner[i];
      end = place.apply(null, end);
      parts.push(tag === "line"
        ? TL.svg("line", { class: "tl-axis", x1: start[0].toFixed(1), y1: start[1].toFixed(1), x2: end[0].toFixed(1), y2: end[1].toFixed(1) })
        : TL.svg("text", { class: "tl-name", x: end[0].toFixed(1), y: (end[1] - 5).toFixed(1), "text-anchor": "middle" }, shorten(text)));
    });
    return parts;
  }

  // Far ones first: three depths, and for each kind one path.
  function marks() {
    var size = n <= 600 ? 1 : n <= 2000 ? 0.75 : 0.55, parts = [], paths = [], i;
    if (data.path) parts.push(TL.svg("polyline", { class: "tl-path", points: Array.from(x, function (v, i) {
      return v.toFixed(1) + "," + y[i].toFixed(1);
    }).join(" ") }));
    for (i = 0; i < 3 * data.kinds; i++) paths.push("");
    for (i = 0; i < n; i++) {
      var layer = Math.max(0, Math.min(2, Math.floor((near[i] + 1) * 1.5))); // rounded, a point may lie beyond -1
      paths[layer * data.kinds + of[i]] += outline(shape(data, of[i]), x[i], y[i], radius(layer));
    }
    paths.forEach(function (d, i) {
      var layer = Math.floor(i / data.kinds);
      if (d) parts.push(mark(data, i % data.kinds, layer, d, radius(layer)));
    });
    return parts;

    function radius(layer) { return size * (2.4 + 0.8 * layer); }
  }

  // The point that is nearest to a place in the picture, or -1 if none is within `reach`.
  function nearest(px, py, reach) {
    var best = -1, least = reach * reach;
    for (var i = 0; i < n; i++) {
      var distance = (x[i] - px) * (x[i] - px) + (y[i] - py) * (y[i] - py);
      if (distance < least || (distance === least && best >= 0 && near[i] > near[best])) {
        least = distance;
        best = i;
      }
    }
    return best;
  }
}
