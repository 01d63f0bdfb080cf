// The waves of a pair, and clocks whose hands a shift turns.
function draw(view) {
  const data = view.data, chosen = { i: data.i, p: data.p, k: data.k }, half = Math.floor((data.n - 1) / 2);
  show(view, chosen);
  if (view.still) return;
  [["i", "pair i", data.d_model / 2 - 1], ["p", "position p", half], ["k", "shift k", data.n - 1 - half]].forEach(function ([name, label, most]) {
    const input = TL.range(view, label, { min: 0, max: most, value: data[name] }, String, function () {
      chosen[name] = +input.value;
      show(view, chosen);
    });
  });
}

function show(view, { i, p, k }) {
  const { n, d_model, clocks } = view.data;
  const omega = function (pair) { return Math.pow(10000, -2 * pair / d_model); }, wavelength = 2 * Math.PI / omega(i);
  const cards = clocks.map(function (pair) { return clock(pair, omega(pair), p, k, pair === i); });
  view.picture.replaceChildren(...waves(n, p, k, wavelength), TL.el("div", { "class": "tl-clocks" }, cards));
  view.root.dataset.wavelength = wavelength;
  view.say("Pair " + i + " turns once in " + wavelength.toFixed(2) + " positions. From position " + p + " to " + (p + k) +
    " it turns by " + degrees(k * omega(i)) + ".");
}

// In the units of the data: x is the position, y the value (upside down, as SVG counts).
function waves(n, p, k, wavelength) {
  function path(name, d) { return TL.svg("path", { "class": name, d: d }); }
  function curve(name, wave) {
    const at = function (x) { return (-wave(2 * Math.PI * x / wavelength)).toFixed(4); };
    const fine = Array.from({ length: 4 * (n - 1) + 1 }, function (_, j) { return j / 4 + " " + at(j / 4); });
    const dots = Array.from({ length: n }, function (_, x) { return "M" + x + " " + at(x) + "h0"; });
    return [path("tl-" + name, "M" + fine.join("L")), path("tl-" + name + " tl-dots", dots.join(""))];
  }
  const end = wavelength <= n - 1 ? "H" + wavelength + "M" + wavelength + " 1.2V1.35" : "H" + (n - 0.5); // a long wave's bar is open
  const box = { "class": "tl-waves", viewBox: "-0.5 -1.15 " + n + " 2.55", preserveAspectRatio: "none", role: "img",
    "aria-label": "Sine and cosine of the chosen pair at positions 0 to " + (n - 1) };
  return [
    TL.svg("svg", box, [path("tl-zero", "M-0.5 0H" + (n - 0.5)), path("tl-p", "M" + p + " -1.1V1.1"), path("tl-q", "M" + (p + k) + " -1.1V1.1"),
      ...curve("sine", Math.sin), ...curve("cosine", Math.cos), path("tl-wavelength", "M0 1.2V1.35M0 1.275" + end)]),
    TL.el("div", { "class": "tl-scale" }, ["0", "position", String(n - 1)].map(function (text) { return TL.el("span", {}, text); })),
    TL.el("p", { "class": "tl-key" }, "Solid: sine. Dashed: cosine. Bar: one wavelength. Thin line and hand: p. Thick: p + k."),
  ];
}

// One pair: its hands at p and at p + k, and the 2 x 2 block of M_k that takes one to the other. At 12 o'clock the sine is 0.
function clock(pair, omega, p, k, chosen) {
  const [before, after] = [p, p + k].map(function (place) { return [Math.sin(place * omega), Math.cos(place * omega)]; });
  const c = Math.cos(k * omega), s = Math.sin(k * omega);
  function hand(name, [x, y]) { return TL.svg("line", { "class": "tl-" + name, x2: (40 * x).toFixed(2), y2: (-40 * y).toFixed(2) }); }
  function matrix(name, rows) {
    return TL.el("table", { "class": "tl-block", "data-matrix": name }, TL.el("tbody", {}, rows.map(function (row) {
      return TL.el("tr", {}, row.map(function (x) { return TL.el("td", { "data-value": x }, TL.number(x)); }));
    })));
  }
  const equation = [matrix("block", [[c, s], [-s, c]]), matrix("before", before.map(function (x) { return [x]; })), TL.el("span", {}, "="), matrix("after", after.map(function (x) { return [x]; }))];
  const face = { viewBox: "-44 -44 88 88", role: "img", "aria-label": "Clock of pair " + pair + ": its hand at p and at p + k" };
  return TL.el("div", Object.assign({ "class": "tl-clock", "data-pair": pair }, chosen && { "aria-current": "true" }), [
    TL.svg("svg", face, [TL.svg("circle", { r: 40 }), hand("p", before), hand("q", after)]),
    TL.el("div", {}, [TL.el("b", {}, "pair " + pair), ": by ", TL.el("span", { "class": "tl-turn" }, degrees(k * omega)), TL.el("div", { "class": "tl-equation" }, equation)])]);
}

function degrees(angle) {
  return (angle * 180 / Math.PI).toFixed(1) + "°";
}
