// The attention calculator: every step as a table. In the page four of them can be edited, and the others follow.
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

// The pictures' rows: a title, and the matrices below it.
const ROWS = [
  ["1. The numbers", INPUTS],
  ["2. Queries, keys, values", ["Q", "K", "V"]],
  ["3. Each query (row) meets each key (column)", ["scores", "scaled"]],
  ["4. Softmax makes weights, and the weights mix the values", ["weights", "output"]],
];

function draw(view) {
  const calculator = { view: view, M: start(view.data), query: view.data.query, scaled: true, masked: false, fields: [], tables: {} };
  const result = attention(calculator.M, true, false);
  calculator.strip = view.data.tokens.map(function (token) {
    const number = TL.el("span"), bar = TL.el("div", {}, [TL.el("b"), number, TL.el("span", {}, token)]);
    return { bar: bar, number: number };
  });
  calculator.rows = ROWS.map(function ([title, names]) {
    const boxes = names.map(function (name) { return table(calculator, name, result[name]); });
    return { title: TL.el("p", { "class": "tl-step" }, title), names: names, row: TL.el("div", { "class": "tl-row" }, boxes) };
  });
  const strip = calculator.strip.map(function (one) { return one.bar; });
  view.picture.replaceChildren(TL.el("div", { "class": "tl-strip", "aria-hidden": "true" }, strip),
    ...calculator.rows.flatMap(function (one) { return [one.title, one.row]; }));
  refresh(calculator);
  if (!view.still) controls(calculator);
}

// One matrix as a table with named rows and columns.
function table(calculator, name, M) {
  const tokens = calculator.view.data.tokens, square = ["scores", "scaled", "weights"].includes(name);
  const columns = M[0].map(function (_, j) { return square ? tokens[j] : String(j + 1); });
  const parts = { caption: TL.el("caption", {}, caption(name)), rows: [], cells: [], columns: columns };
  const body = M.map(function (row, i) {
    parts.cells.push(row.map(function (x) { return TL.el("td", {}, INPUTS.includes(name) ? written(x) : []); }));
    parts.rows.push(TL.el("tr", {}, [TL.el("th", { scope: "row" }, /^W/.test(name) ? String(i + 1) : tokens[i]), ...parts.cells[i]]));
    return parts.rows[i];
  });
  const heads = columns.map(function (column) { return TL.el("th", { scope: "col" }, column); });
  parts.box = TL.el("div", { "class": "tl-scroll" }, TL.el("table", { "class": "tl-matrix", "data-matrix": name }, [parts.caption,
    TL.el("thead", {}, TL.el("tr", {}, [TL.el("td"), ...heads])), TL.el("tbody", {}, body)]));
  calculator.tables[name] = parts;
  return parts.box;
}

function caption(name) {
  function italic(letters) { return TL.el("i", {}, letters); }
  function W(letter) { return [italic("W"), TL.el("sub", {}, letter)]; }
  if (name === "X") return [italic("X"), ", a row for each token"];
  if (name[0] === "W") return W(name[2]);
  if ("QKV".includes(name)) return [italic(name), " = ", italic("X"), " ", ...W(name)];
  return { scores: ["scores ", italic("S"), " = ", italic("Q K"), TL.el("sup", {}, "T")], weights: ["weights ", italic("A"), ", each row sums to 1"],
    output: ["output = ", italic("A V")] }[name];
}

function controls(calculator) {
  const view = calculator.view;
  const again = function () {
    Object.assign(calculator, { query: +query.value, scaled: scale.checked, masked: mask.checked });
    refresh(calculator);
    walk(calculator);
  };
  const steps = ["all at once"].concat(STEPS.map(function (step, i) { return i + 1 + ". " + step.name; }));
  calculator.step = TL.select(view, "step", steps, view.data.walk ? 1 : 0, again);
  button(view, "Next step", function () {
    calculator.step.value = +calculator.step.value % STEPS.length + 1;
    again();
  });
  calculator.line = TL.el("p", { "class": "tl-written", "aria-live": "polite" });
  view.picture.querySelector(".tl-strip").after(calculator.line);
  const query = TL.select(view, "query", view.data.tokens, calculator.query, again);
  const scale = TL.checkbox(view, "divide by √d_k", true, again);
  const mask = TL.checkbox(view, "causal mask", false, again);
  button(view, "Reset", function () {
    calculator.M = start(view.data);
    query.value = view.data.query;
    scale.checked = true;
    mask.checked = false;
    calculator.fields.forEach(function (each) {
      each.field.set(each.value());
      complain(view, each.field, "");
    });
    again();
  });
  view.controls.append(TL.el("span", { class: "tl-hint" }, "↑ and ↓ change a number by 0.1."));
  INPUTS.forEach(function (name) { makeEditable(calculator, name, again); });
  reachable(view.picture);
  again();
}

function start(data) {
  return Object.fromEntries(INPUTS.map(function (name) { return [name, data[name].map(function (row) { return row.slice(); })]; }));
}

function makeEditable(calculator, name, again) {
  const { cells, columns } = calculator.tables[name];
  cells.forEach(function (row, i) {
    row.forEach(function (cell, j) {
      const place = name === "X" ? calculator.view.data.tokens[i] : "row " + (i + 1);
      const label = name + ", " + place + ", column " + columns[j];
      const field = numberField(calculator.view, label, calculator.M[name][i][j], LARGEST, function (value) {
        calculator.M[name][i][j] = value;
        again();
      });
      cell.replaceChildren(field);
      calculator.fields.push({ field: field, value: function () { return calculator.M[name][i][j]; } });
    });
  });
}

function refresh(calculator) {
  const { M, tables, query, scaled, masked } = calculator, result = attention(M, scaled, masked), weights = result.weights[query];
  for (const name in tables) fill(name, tables[name], result[name], query);
  const above = [TL.el("i", {}, "S")];
  if (scaled) above.push(" / √", TL.el("i", {}, "d"), TL.el("sub", {}, "k"), " = ", TL.el("i", {}, "S"), " / " + Number(Math.sqrt(M.W_Q[0].length).toPrecision(4)));
  else above.push(", not scaled");
  if (masked) above.push(", later tokens masked");
  tables.scaled.caption.replaceChildren(...above);
  calculator.strip.forEach(function (one, j) {
    one.bar.style.setProperty("--w", weights[j].toFixed(4));
    one.number.textContent = weights[j].toFixed(2);
  });
  calculator.result = result;
  calculator.view.say(summary(calculator.view.data.tokens, query, weights, masked ? query + 1 : Infinity));
}

// Show what the chosen step is made of, and one of its numbers written out.
function walk(calculator) {
  const { result, query } = calculator;
  const step = STEPS[calculator.step.value - 1], tokens = calculator.view.data.tokens, row = result.weights[query];
  const others = row.map(function (weight, j) { return j === query ? -1 : weight; });
  const key = row.length > 1 ? others.indexOf(Math.max(...others)) : query; // the other token that it attends to most
  for (const name in calculator.tables) calculator.tables[name].box.hidden = step && !step.uses.includes(name);
  calculator.rows.forEach(function ({ title, names, row }) {
    row.hidden = !!step && !names.some(function (name) { return step.uses.includes(name); });
    title.hidden = !!step;
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
      return calculator.scaled ? number(result.scores[query][key]) + " / √" + d_k + " = " + number(result.scaled[query][key]) : "Nothing is divided.";
    },
    weights: function () {
      const z = result.scaled[query], top = Math.max(...z), powers = z.map(function (x) { return Math.exp(x - top); });
      const all = powers.reduce(function (total, power) { return total + power; });
      return "From " + from + " to " + to + ": e to the power of the score minus the row's largest score (which changes no weight), e^(" +
        number(z[key]) + " − " + number(top) + ") = " + number(powers[key]) + ". The sum over the row: " + powers.map(number).join(" + ") +
        " = " + number(all) + ". The weight: " + number(powers[key]) + " / " + number(all) + " = " + number(row[key]);
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

function fill(name, table, values, query) {
  const ofQuery = ["X", "Q", "scores", "scaled", "weights", "output"].includes(name);
  table.rows.forEach(function (row, i) {
    const marks = { "class": "tl-chosen", "aria-current": "true" };
    for (const mark in marks) ofQuery && i === query ? row.setAttribute(mark, marks[mark]) : row.removeAttribute(mark);
    table.cells[i].forEach(function (cell, j) {
      cell.dataset.value = values[i][j];
      if (INPUTS.includes(name)) return;
      const text = shown(values[i][j]);
      if (cell.textContent !== text) cell.textContent = text; // what stays costs no new layout
      if (name === "weights") cell.style.setProperty("--w", values[i][j].toFixed(4));
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

// A table that is wider than the screen scrolls separately, and can then be reached and scrolled by keyboard.
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
