// The waves of a pair, and clocks whose hands a shift turns.
function draw(view) {
  const data = view.data, explorer = { view: view, i: data.i, p: data.p, k: data.k, curves: {} };
  explorer.clocks = data.clocks.map(clock);
  const cards = TL.el("div", { "class": "tl-clocks" }, explorer.clocks.map(function (one) { return one.card; }));
  view.picture.replaceChildren(...waves(explorer), cards);
  refresh(explorer);
  if (!view.still) controls(explorer);
}

function controls(explorer) {
  const data = explorer.view.data, half = Math.floor((data.n - 1) / 2);
  function slider(name, label, most) {
    const input = TL.range(explorer.view, label, { min: 0, max: most, value: data[name] }, String, function () {
      explorer[name] = +input.value;
      refresh(explorer);
    });
  }
  slider("i", "pair i", data.d_model / 2 - 1);
  slider("p", "position p", half);
  slider("k", "shift k", data.n - 1 - half);
}

function waves(explorer) {
  const n = explorer.view.data.n;
  function curve(name, looks) { return (explorer.curves[name] = TL.svg("path", { "class": looks || "tl-" + name })); }
  const box = { "class": "tl-waves", viewBox: "-0.5 -1.15 " + n + " 2.55", preserveAspectRatio: "none", role: "img" };
  box["aria-label"] = "Sine and cosine of the chosen pair at positions 0 to " + (n - 1);
  const key = "Solid: sine. Dashed: cosine. Bar: one wavelength. Thin line and hand: p. Thick: p + k.";
  return [
    TL.svg("svg", box, [TL.svg("path", { "class": "tl-zero", d: "M-0.5 0H" + (n - 0.5) }), curve("p"), curve("q"), curve("sine"),
      curve("sine dots", "tl-sine tl-dots"), curve("cosine"), curve("cosine dots", "tl-cosine tl-dots"), curve("wavelength")]),
    TL.el("div", { "class": "tl-scale" }, ["0", "position", String(n - 1)].map(function (text) { return TL.el("span", {}, text); })),
    TL.el("p", { "class": "tl-key" }, key),
  ];
}

// One pair: its hands at p and at p + k, and the 2 x 2 block of M_k that takes one to the other.
function clock(pair) {
  const hands = ["p", "q"].map(function (name) { return TL.svg("line", { "class": "tl-" + name }); });
  const face = { viewBox: "-44 -44 88 88", role: "img", "aria-label": "Clock of pair " + pair + ": its hand at p and at p + k" };
  const cells = { block: [], before: [], after: [] }, turn = TL.el("span", { "class": "tl-turn" });
  function matrix(name, columns) {
    const rows = [0, 1].map(function () {
      const row = Array.from({ length: columns }, function () { return TL.el("td"); });
      cells[name].push(...row);
      return TL.el("tr", {}, row);
    });
    return TL.el("table", { "class": "tl-block", "data-matrix": name }, TL.el("tbody", {}, rows));
  }
  const equation = [matrix("block", 2), matrix("before", 1), TL.el("span", {}, "="), matrix("after", 1)];
  const card = TL.el("div", { "class": "tl-clock", "data-pair": pair }, [TL.svg("svg", face, [TL.svg("circle", { r: 40 }), ...hands]),
    TL.el("div", {}, [TL.el("b", {}, "pair " + pair), ": by ", turn, TL.el("div", { "class": "tl-equation" }, equation)])]);
  return { pair: pair, card: card, hands: hands, cells: cells, turn: turn };
}

function omega(explorer, i) {
  return Math.pow(10000, -2 * i / explorer.view.data.d_model);
}

function refresh(explorer) {
  const { view, i, p, k } = explorer, wavelength = 2 * Math.PI / omega(explorer, i);
  bend(explorer, view.data.n, wavelength);
  explorer.curves.p.setAttribute("d", "M" + p + " -1.1V1.1");
  explorer.curves.q.setAttribute("d", "M" + (p + k) + " -1.1V1.1");
  explorer.clocks.forEach(function (one) {
    one.pair === i ? one.card.setAttribute("aria-current", "true") : one.card.removeAttribute("aria-current");
    turn(one, omega(explorer, one.pair), p, k);
  });
  view.root.dataset.wavelength = wavelength;
  view.say("Pair " + i + " turns once in " + wavelength.toFixed(2) + " positions. From position " + p + " to " + (p + k) +
    " it turns by " + degrees(k * omega(explorer, i)) + ".");
}

// In the units of the data: x is the position, y the value (upside down, as SVG counts).
function bend(explorer, n, wavelength) {
  [["sine", Math.sin], ["cosine", Math.cos]].forEach(function ([name, wave]) {
    const at = function (x) { return (-wave(2 * Math.PI * x / wavelength)).toFixed(4); };
    const fine = Array.from({ length: 4 * (n - 1) + 1 }, function (_, j) { return j / 4 + " " + at(j / 4); });
    const dots = Array.from({ length: n }, function (_, x) { return "M" + x + " " + at(x) + "h0"; });
    explorer.curves[name].setAttribute("d", "M" + fine.join("L"));
    explorer.curves[name + " dots"].setAttribute("d", dots.join(""));
  });
  const end = wavelength <= n - 1 ? "H" + wavelength + "M" + wavelength + " 1.2V1.35" : "H" + (n - 0.5); // a long wave's bar is open
  explorer.curves.wavelength.setAttribute("d", "M0 1.2V1.35M0 1.275" + end);
}

function turn(one, omega, p, k) {
  const hands = [p, p + k].map(function (place) { return [Math.sin(place * omega), Math.cos(place * omega)]; });
  const c = Math.cos(k * omega), s = Math.sin(k * omega);
  fill(one.cells.block, [c, s, -s, c]);
  fill(one.cells.before, hands[0]);
  fill(one.cells.after, hands[1]);
  hands.forEach(function ([x, y], i) { TL.fill(one.hands[i], { x2: (40 * x).toFixed(2), y2: (-40 * y).toFixed(2) }); }); // at 12 o'clock the sine is 0
  one.turn.textContent = degrees(k * omega);
}

function fill(cells, values) {
  cells.forEach(function (cell, j) {
    cell.dataset.value = values[j];
    cell.textContent = TL.number(values[j]);
  });
}

function degrees(angle) {
  return (angle * 180 / Math.PI).toFixed(1) + "°";
}
