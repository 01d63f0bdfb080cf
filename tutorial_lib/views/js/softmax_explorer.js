// The softmax explorer: each row of the table gets a field for its score, and the weights follow.
const LARGEST = 1000; // as in explorables.py

function draw(view) {
  const explorer = { view: view, scores: view.data.scores.slice(), rows: [...view.picture.querySelectorAll("tbody tr")] };
  explorer.temperature = TL.range(view, "temperature T", { min: -1, max: 1, step: 0.01, value: 0 }, function (t) {
    return format(Math.pow(10, t)); // from 0.1 to 10, with 1 in the middle
  }, function () { refresh(explorer, ""); });
  button(view, "Add 1 to all scores", function () { shift(explorer); });
  button(view, "Reset", function () { reset(explorer); });
  explorer.fields = explorer.rows.map(function (row, i) {
    const label = "score of " + view.data.labels[i];
    const field = numberField(view, label, explorer.scores[i], LARGEST, function (value) {
      explorer.scores[i] = value;
      refresh(explorer, "");
    });
    row.cells[1].replaceChildren(field);
    return field;
  });
  refresh(explorer, "");
}

function shift(explorer) {
  const highest = Math.max(...explorer.scores);
  if (highest + 1 > LARGEST) return refresh(explorer, "The scores end at " + LARGEST + ". ");
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
  const T = Math.pow(10, +explorer.temperature.value);
  const logits = explorer.scores.map(function (z) { return z / T; });
  const weights = TL.softmax(logits), top = Math.max(...logits);
  explorer.rows.forEach(function (row, i) {
    row.cells[2].textContent = power(logits[i]);
    row.querySelector("rect").setAttribute("width", (100 * weights[i]).toFixed(2));
    row.cells[4].dataset.value = weights[i];
    row.cells[4].textContent = weights[i].toFixed(3);
  });
  const sum = logits.reduce(function (total, x) { return total + Math.exp(x - top); }, 0);
  explorer.view.picture.querySelector("tfoot").rows[0].cells[2].textContent = power(top + Math.log(sum));
  const entropy = weights.reduce(function (sum, w) { return w > 0 ? sum - w * Math.log(w) : sum; }, 0);
  explorer.view.root.dataset.entropy = entropy;
  const most = weights.indexOf(Math.max(...weights));
  explorer.view.say(news + "T = " + format(T) + ": " + explorer.view.data.labels[most] + " gets most of the weight (" +
    weights[most].toFixed(2) + "). Entropy " + entropy.toFixed(2) + " nats; even weights would have " +
    Math.log(weights.length).toFixed(2) + ".");
}

// e to the power x in three digits, as explorables.py writes it.
function power(x) {
  const exponent = Math.floor(x / Math.LN10);
  if (exponent >= -3 && exponent <= 3) return Math.exp(x).toFixed(Math.max(0, 2 - exponent));
  const raised = String(exponent).replace(/./g, function (sign) { return "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]; });
  return Math.exp(x - exponent * Math.LN10).toFixed(2) + "·10" + raised;
}

function format(T) {
  return String(Number(T.toPrecision(2)));
}
