// The waves of a pair, and clocks whose hands a shift turns. The picture stands already; this moves its parts.
function draw(view) {
  const data = view.data, half = Math.floor((data.n - 1) / 2);
  const again = function () { refresh(explorer); };
  const show = function (value) { return String(value); };
  const explorer = { view: view };
  explorer.i = TL.range(view, "pair i", { min: 0, max: data.d_model / 2 - 1, value: data.i }, show, again);
  explorer.p = TL.range(view, "position p", { min: 0, max: half, value: data.p }, show, again);
  explorer.k = TL.range(view, "shift k", { min: 0, max: data.n - 1 - half, value: data.k }, show, again);
  refresh(explorer);
}

function omega(explorer, i) {
  return Math.pow(10000, -2 * i / explorer.view.data.d_model);
}

function refresh(explorer) {
  const i = +explorer.i.value, p = +explorer.p.value, k = +explorer.k.value;
  const picture = explorer.view.picture, wavelength = 2 * Math.PI / omega(explorer, i);
  waves(picture, explorer.view.data.n, wavelength);
  picture.querySelector(".tl-waves .tl-p").setAttribute("d", "M" + p + " -1.1V1.1");
  picture.querySelector(".tl-waves .tl-q").setAttribute("d", "M" + (p + k) + " -1.1V1.1");
  picture.querySelectorAll(".tl-clock").forEach(function (clock) {
    if (+clock.dataset.pair === i) clock.setAttribute("aria-current", "true");
    else clock.removeAttribute("aria-current");
    turn(clock, omega(explorer, +clock.dataset.pair), p, k);
  });
  explorer.view.root.dataset.wavelength = wavelength;
  explorer.view.say("Pair " + i + " turns once in " + wavelength.toFixed(2) + " positions. From position " + p + " to " +
    (p + k) + " it turns by " + degrees(k * omega(explorer, i)) + ".");
}

// In the units of the data: x is the position, y the value (upside down, as SVG counts).
function waves(picture, n, wavelength) {
  [["sine", Math.sin], ["cosine", Math.cos]].forEach(function (wave) {
    const at = function (x) { return (-wave[1](2 * Math.PI * x / wavelength)).toFixed(4); };
    const fine = Array.from({ length: 4 * (n - 1) + 1 }, function (_, j) { return j / 4 + " " + at(j / 4); });
    const dots = Array.from({ length: n }, function (_, x) { return "M" + x + " " + at(x) + "h0"; });
    picture.querySelector(".tl-" + wave[0]).setAttribute("d", "M" + fine.join("L"));
    picture.querySelector(".tl-dots.tl-" + wave[0]).setAttribute("d", dots.join(""));
  });
  const end = wavelength <= n - 1 ? "H" + wavelength + "M" + wavelength + " 1.2V1.35" : "H" + (n - 0.5);
  picture.querySelector(".tl-wavelength").setAttribute("d", "M0 1.2V1.35M0 1.275" + end);
}

function turn(clock, omega, p, k) {
  const before = [Math.sin(p * omega), Math.cos(p * omega)], after = [Math.sin((p + k) * omega), Math.cos((p + k) * omega)];
  const c = Math.cos(k * omega), s = Math.sin(k * omega);
  numbers(clock, "block", [c, s, -s, c]);
  numbers(clock, "before", before);
  numbers(clock, "after", after);
  hand(clock, "p", before);
  hand(clock, "q", after);
  clock.querySelector(".tl-turn").textContent = degrees(k * omega);
}

function numbers(clock, name, values) {
  clock.querySelectorAll("[data-matrix=" + name + "] td").forEach(function (cell, j) {
    cell.dataset.value = values[j];
    const text = values[j].toFixed(2);
    cell.textContent = (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
  });
}

// At 12 o'clock the sine is 0, and time runs clockwise.
function hand(clock, name, pair) {
  TL.fill(clock.querySelector(".tl-" + name), { x2: 40 * pair[0], y2: -40 * pair[1] });
}

function degrees(angle) {
  return (angle * 180 / Math.PI).toFixed(1) + "°";
}
