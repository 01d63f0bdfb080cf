// The attention calculator. The tables stand in the page already; this makes four of them editable and computes the others.
const INPUTS = ["X", "W_Q", "W_K", "W_V"];
const LARGEST = 1e6; // as in calculator.py

// The way from X to the output: what a step makes, of which matrices.
const STEPS = [
  { name: "queries", uses: ["X", "W_Q", "Q"] },
  { name: "keys", uses: ["X", "W_K", "K"] },
  { name: "values", uses: ["X", "W_V", "V"] },
  { name: "scores", uses: ["Q", "K", "scores"] },
  { name: "scaled scores", uses: ["scores", "scaled"] },
  { name: "weights", uses: ["scaled", "weights"] },
  { name: "output", uses: ["weights", "V", "output"] },
];

function draw(view) {
  const calculator = { view: view, M: start(view.data), fields: [], tables: tables(view.picture) };
  const again = function () { refresh(calculator); };
  calculator.step = TL.select(view, "step", ["all at once"].concat(STEPS.map(function (step, i) { return i + 1 + ". " + step.name; })), view.data.walk ? 1 : 0, again);
  button(view, "Next step", function () {
    calculator.step.value = +calculator.step.value % STEPS.length + 1;
    again();
  });
  calculator.line = TL.el("p", { "class": "tl-written", "aria-live": "polite" });
  view.picture.querySelector(".tl-strip").after(calculator.line);
  calculator.query = TL.select(view, "query", view.data.tokens, view.data.query, again);
  calculator.scale = TL.checkbox(view, "divide by √d_k", true, again);
  calculator.mask = TL.checkbox(view, "causal mask", false, again);
  button(view, "Reset", function () { reset(calculator); });
  view.controls.append(TL.el("span", { class: "tl-hint" }, "↑ and ↓ change a number by 0.1."));
  INPUTS.forEach(function (name) { makeEditable(calculator, name); });
  reachable(view.picture);
  again();
}

function start(data) {
  return Object.fromEntries(INPUTS.map(function (name) { return [name, data[name].map(function (row) { return row.slice(); })]; }));
}

function tables(picture) {
  return Object.fromEntries([...picture.querySelectorAll("table")].map(function (table) { return [table.dataset.matrix, table]; }));
}

function makeEditable(calculator, name) {
  const table = calculator.tables[name];
  const columns = [...table.tHead.rows[0].cells].slice(1);
  [...table.tBodies[0].rows].forEach(function (row, i) {
    [...row.cells].slice(1).forEach(function (cell, j) {
      const place = name === "X" ? row.cells[0].textContent : "row " + (i + 1);
      const label = name + ", " + place + ", column " + columns[j].textContent;
      const field = numberField(calculator.view, label, calculator.M[name][i][j], LARGEST, function (value) {
        calculator.M[name][i][j] = value;
        refresh(calculator);
      });
      cell.replaceChildren(field);
      calculator.fields.push({ field: field, value: function () { return calculator.M[name][i][j]; } });
    });
  });
}

function reset(calculator) {
  calculator.M = start(calculator.view.data);
  calculator.query.value = calculator.view.data.query;
  calculator.scale.checked = true;
  calculator.mask.checked = false;
  calculator.fields.forEach(function (each) {
    each.field.set(each.value());
    complain(calculator.view, each.field, "");
  });
  refresh(calculator);
}

function refresh(calculator) {
  const scaled = calculator.scale.checked, masked = calculator.mask.checked, query = +calculator.query.value;
  const result = attention(calculator.M, scaled, masked);
  for (const name in calculator.tables) fill(calculator.tables[name], result[name], query);
  const width = calculator.M.W_Q[0].length;
  const caption = [TL.el("i", {}, "S")];
  if (scaled) caption.push(" / √", TL.el("i", {}, "d"), TL.el("sub", {}, "k"), " = ", TL.el("i", {}, "S"), " / " + Number(Math.sqrt(width).toPrecision(4)));
  else caption.push(", not scaled");
  if (masked) caption.push(", later tokens masked");
  calculator.tables.scaled.caption.replaceChildren(...caption);
  [...calculator.view.picture.querySelector(".tl-strip").children].forEach(function (bar, j) {
    const weight = result.weights[query][j];
    bar.style.setProperty("--w", weight.toFixed(4));
    bar.children[1].textContent = weight.toFixed(2);
  });
  walk(calculator, result, query);
  calculator.view.say(summary(calculator.view.data.tokens, query, result.weights[query], masked ? query + 1 : Infinity));
}

// Show what the chosen step is made of, and one of its numbers written out.
function walk(calculator, result, query) {
  const step = STEPS[calculator.step.value - 1], tokens = calculator.view.data.tokens, row = result.weights[query];
  const others = row.map(function (weight, j) { return j === query ? -1 : weight; });
  const key = row.length > 1 ? others.indexOf(Math.max(...others)) : query; // the other token that it attends to most
  for (const name in calculator.tables) calculator.tables[name].parentNode.hidden = step && !step.uses.includes(name);
  calculator.view.picture.querySelectorAll(".tl-row").forEach(function (group) {
    group.hidden = ![...group.children].some(function (box) { return !box.hidden; });
    group.previousElementSibling.hidden = group.hidden || !!step;
  });
  calculator.line.hidden = !step;
  if (!step) return;

  function number(value) { return shown(value); }
  function sum(a, b) { return a.map(function (x, i) { return number(x) + " · " + number(b[i]); }).join(" + "); }
  function column(M) { return M.map(function (line) { return line[0]; }); }
  function product(token, name, W) {
    return "The first number of “" + tokens[token] + "”: its row of X times the first column of " + W + ". " +
      sum(result.X[token], column(result[W])) + " = " + number(result[name][token][0]);
  }
  const from = "“" + tokens[query] + "”", to = "“" + tokens[key] + "”", d_k = result.Q[0].length;
  const written = {
    queries: function () { return product(query, "Q", "W_Q"); },
    keys: function () { return product(key, "K", "W_K"); },
    values: function () { return product(key, "V", "W_V"); },
    scores: function () { return "The query of " + from + " meets the key of " + to + ": " + sum(result.Q[query], result.K[key]) + " = " + number(result.scores[query][key]); },
    "scaled scores": function () {
      return calculator.scale.checked ? number(result.scores[query][key]) + " / √" + d_k + " = " + number(result.scaled[query][key]) : "Nothing is divided.";
    },
    weights: function () {
      const z = result.scaled[query], top = Math.max(...z), powers = z.map(function (x) { return Math.exp(x - top); });
      const all = powers.reduce(function (total, power) { return total + power; });
      return "From " + from + " to " + to + ": e to the power of its score, less the row's largest (which changes no weight), e^(" +
        number(z[key]) + " − " + number(top) + ") = " + number(powers[key]) + ". All such in the row: " + powers.map(number).join(" + ") +
        " = " + number(all) + ". Its share: " + number(powers[key]) + " / " + number(all) + " = " + number(row[key]);
    },
    output: function () { return "The first number of " + from + ": each token's value times its weight. " + sum(row, column(result.V)) + " = " + number(result.output[query][0]); },
  };
  calculator.line.textContent = written[step.name]();
}

// softmax(Q K^T / sqrt(d_k)) V, with every step kept.
function attention(M, scaled, masked) {
  const Q = product(M.X, M.W_Q), K = product(M.X, M.W_K), V = product(M.X, M.W_V);
  const scores = product(Q, transpose(K));
  const factor = scaled ? 1 / Math.sqrt(Q[0].length) : 1;
  const logits = scores.map(function (row, i) {
    return row.map(function (score, j) { return masked && j > i ? -Infinity : score * factor; });
  });
  const weights = logits.map(TL.softmax);
  return Object.assign({ Q: Q, K: K, V: V, scores: scores, scaled: logits, weights: weights, output: product(weights, V) }, M);
}

function product(A, B) {
  return A.map(function (row) {
    return B[0].map(function (_, j) { return row.reduce(function (sum, a, k) { return sum + a * B[k][j]; }, 0); });
  });
}

function transpose(A) {
  return A[0].map(function (_, j) { return A.map(function (row) { return row[j]; }); });
}

function fill(table, values, query) {
  const ofQuery = ["X", "Q", "scores", "scaled", "weights", "output"].includes(table.dataset.matrix);
  [...table.tBodies[0].rows].forEach(function (row, i) {
    row.classList.toggle("tl-chosen", ofQuery && i === query);
    if (ofQuery && i === query) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
    [...row.cells].slice(1).forEach(function (cell, j) {
      cell.dataset.value = values[i][j];
      if (INPUTS.includes(table.dataset.matrix)) return;
      const text = shown(values[i][j]);
      if (cell.textContent !== text) cell.textContent = text; // what stays costs no new layout
      if (table.dataset.matrix === "weights") cell.style.setProperty("--w", values[i][j].toFixed(4));
    });
  });
}

// With a mask, only the first tokens can be attended to.
function summary(tokens, query, weights, allowed) {
  const order = weights.map(function (_, j) { return j; }).slice(0, allowed).sort(function (a, b) { return weights[b] - weights[a]; });
  const named = order.map(function (j) { return tokens[j] + " (" + weights[j].toFixed(2) + ")"; });
  const then = named.length > 1 ? ", then " + named[1] : "";
  return tokens[query] + " attends most to " + named[0] + then + ".";
}

// A table that is wider than the screen scrolls by itself, and can then be reached and scrolled by keyboard.
function reachable(picture) {
  const watch = new ResizeObserver(function (entries) {
    entries.forEach(function (entry) {
      const box = entry.target, name = box.querySelector("table").dataset.matrix;
      const scrolls = box.scrollWidth > box.clientWidth;
      const wanted = { tabindex: "0", role: "region", "aria-label": "Matrix " + name + ", scrolls sideways" };
      for (const key in wanted) scrolls ? box.setAttribute(key, wanted[key]) : box.removeAttribute(key);
    });
  });
  picture.querySelectorAll(".tl-scroll").forEach(function (box) { watch.observe(box); });
}
