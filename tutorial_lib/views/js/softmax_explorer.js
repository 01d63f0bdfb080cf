// Scores, their softmax as bars, and its entropy. In the page each row gets a field for its score.
const LARGEST = 1000; // as in explorables.py

function draw(view) {
  const explorer = { view: view, scores: view.data.scores.slice(), T: 1, sum: TL.el("td") };
  explorer.rows = explorer.scores.map(function (score) {
    return { score: TL.el("td", {}, written(score)), power: TL.el("td"), bar: TL.svg("rect", { height: 10 }), weight: TL.el("td") };
  });
  view.picture.replaceChildren(table(explorer));
  refresh(explorer, "");
  if (!view.still) controls(explorer);
}

function table(explorer) {
  function heading(inside, width) { return TL.el("th", Object.assign({ scope: "col" }, width), inside); }
  const power = [TL.el("i", {}, "e"), TL.el("sup", {}, ["score/", TL.el("i", {}, "T")])];
  const heads = [heading("name"), heading("score"), heading(power), heading("its share: the weight", { colspan: 2 })];
  return TL.el("table", { "class": "tl-softmax" }, [
    TL.el("thead", {}, TL.el("tr", {}, heads)),
    TL.el("tbody", {}, explorer.rows.map(function (row, i) {
      const box = { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" };
      const name = TL.el("th", { scope: "row" }, explorer.view.data.labels[i]);
      return TL.el("tr", {}, [name, row.score, row.power, TL.el("td", { "class": "tl-bar" }, TL.svg("svg", box, row.bar)), row.weight]);
    })),
    TL.el("tfoot", {}, TL.el("tr", {}, [TL.el("th", { scope: "row" }, "sum"), TL.el("td"), explorer.sum, TL.el("td"), TL.el("td", {}, "1")])),
  ]);
}

function controls(explorer) {
  const view = explorer.view;
  explorer.temperature = TL.range(view, "temperature T", { min: -1, max: 1, step: 0.01, value: 0 }, function (t) {
    return format(Math.pow(10, t)); // from 0.1 to 10, with 1 in the middle
  }, function () {
    explorer.T = Math.pow(10, +explorer.temperature.value);
    refresh(explorer, "");
  });
  button(view, "Add 1 to all scores", function () { shift(explorer); });
  button(view, "Reset", function () { reset(explorer); });
  explorer.fields = explorer.rows.map(function (row, i) {
    const field = numberField(view, "score of " + view.data.labels[i], explorer.scores[i], LARGEST, function (value) {
      explorer.scores[i] = value;
      refresh(explorer, "");
    });
    row.score.replaceChildren(field);
    return field;
  });
}

function shift(explorer) {
  const highest = Math.max(...explorer.scores);
  if (highest + 1 > LARGEST) return refresh(explorer, "No score can be above " + LARGEST + ". ");
  write(explorer, explorer.scores.map(function (z) { return Number((z + 1).toFixed(10)); }));
  refresh(explorer, "Every score rose by 1, and no weight changed: only differences count. ");
}

function reset(explorer) {
  write(explorer, explorer.view.data.scores);
  explorer.temperature.value = 0;
  explorer.temperature.dispatchEvent(new Event("input")); // so that its text follows
}

function write(explorer, scores) {
  explorer.scores = scores.slice();
  explorer.fields.forEach(function (field, i) {
    field.set(scores[i]);
    complain(explorer.view, field, "");
  });
}

function refresh(explorer, news) {
  const logits = explorer.scores.map(function (z) { return z / explorer.T; });
  const weights = TL.softmax(logits), top = Math.max(...logits);
  explorer.rows.forEach(function (row, i) {
    row.power.textContent = power(logits[i]);
    row.bar.setAttribute("width", (100 * weights[i]).toFixed(2));
    row.weight.dataset.value = weights[i];
    row.weight.textContent = weights[i].toFixed(3);
  });
  const sum = logits.reduce(function (total, x) { return total + Math.exp(x - top); }, 0);
  explorer.sum.textContent = power(top + Math.log(sum));
  const entropy = weights.reduce(function (sum, w) { return w > 0 ? sum - w * Math.log(w) : sum; }, 0);
  explorer.view.root.dataset.entropy = entropy;
  const most = weights.indexOf(Math.max(...weights));
  explorer.view.say(news + "T = " + format(explorer.T) + ": " + explorer.view.data.labels[most] + " gets the largest weight (" +
    weights[most].toFixed(2) + "). Entropy " + entropy.toFixed(2) + " nats; even weights would have " +
    Math.log(weights.length).toFixed(2) + ".");
}

// e to the power x in three digits.
function power(x) {
  const exponent = Math.floor(x / Math.LN10);
  if (exponent >= -3 && exponent <= 3) return Math.exp(x).toFixed(Math.max(0, 2 - exponent));
  const raised = String(exponent).replace(/./g, function (sign) { return "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]; });
  return Math.exp(x - exponent * Math.LN10).toFixed(2) + "·10" + raised;
}

function format(T) {
  return String(Number(T.toPrecision(2)));
}
