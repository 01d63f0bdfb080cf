// One query against every key, recomputed from q and k.
var COLUMNS = [22, 16, 16, 15, 14, 17]; // percent of the table's width
var ROWS = 16; // keys shown at first if there are more
var HALF = 20; // the longest bar, in units of its little picture

function most(values, least) {
  return values.reduce(function (x, y) { return Math.max(x, Math.abs(y)); }, least);
}

// At most seven characters.
function number(x) {
  return TL.number(x, Math.abs(x) >= 99.995 ? 1 : 2);
}

// A vector as bars, up for positive and down for negative: two paths, however many coordinates.
function bars(values, top, key) {
  var up = "M0 " + HALF, down = up;
  values.forEach(function (x) {
    var height = Math.round(x / top * HALF);
    up += "V" + (HALF - Math.max(height, 0)) + "h1";
    down += "V" + (HALF - Math.min(height, 0)) + "h1";
  });
  return TL.svg("svg", { "aria-hidden": "true", viewBox: "0 0 " + values.length + " " + 2 * HALF, preserveAspectRatio: "none", "data-key": key }, [
    TL.svg("path", { "class": "tl-up", d: up + "V" + HALF + "z" }), TL.svg("path", { "class": "tl-down", d: down + "V" + HALF + "z" })]);
}

function draw(view) {
  view.data.live ? liveAttention(view, { Q: "queries", K: "keys" }, show) : show(view);
}

function show(view) {
  var data = view.data, keys = data.keys || data.tokens, d = data.d_k, m = keys.length;
  var Q = unpack(data.Q, data.heads), K = unpack(data.K, data.heads);
  var open = {}, rows = [], q = null, k = null, about = "", few = m > ROWS, box = TL.el("div");
  if (!view.still) controls();
  update();
  view.picture.replaceChildren(box);

  function controls() {
    function changed() {
      Object.assign(data, { layer: +layer.value, head: +head.value, query: +query.value }); // where another text begins
      few = !!count && +count.value === 1;
      update();
    }
    var layer = TL.select(view, "Layer", numbers(data.layers), data.layer, changed);
    var head = TL.select(view, "Head", numbers(data.heads), data.head, changed);
    var query = TL.select(view, "Query", data.tokens.map(function (token, i) { return i + ": " + shorten(token); }), data.query, changed);
    var count = m > ROWS ? TL.select(view, "Keys", ["all", "the " + ROWS + " with most weight"], 1, changed) : null;
    box.addEventListener("pointermove", function (event) { pointAt(event.target.closest("svg"), event.clientX); });
    box.addEventListener("pointerleave", function () { view.say(about); });
  }

  function compute() {
    var i = data.query;
    k = K(data.layer, data.head);
    q = Q(data.layer, data.head).subarray(i * d, i * d + d);
    rows = keys.map(function (_, j) {
      var products = q.map(function (x, c) { return x * k[j * d + c]; });
      var sum = products.reduce(function (a, b) { return a + b; }, 0);
      return { j: j, products: products, sum: sum, scaled: sum / Math.sqrt(d) };
    });
    var weights = TL.softmax(rows.map(function (row) {
      return data.masked && data.masked[i][row.j] === "1" ? -Infinity : row.scaled;
    }));
    rows.forEach(function (row) { row.weight = weights[row.j]; });
  }

  function update() {
    compute();
    var shown = largest(rows.map(function (row) { return row.weight; }), few ? ROWS : m).sort(function (a, b) { return a - b; });
    var top = most(q, most(k, 0)) || 1, topProduct = rows.reduce(function (x, row) { return most(row.products, x); }, 0) || 1;
    var body = TL.el("tbody", {});
    shown.forEach(function (j) { body.append.apply(body, tableRow(rows[j], top, topProduct)); });
    box.replaceChildren(TL.el("table", { "class": "tl-neurons" }, [
      TL.el("caption", {}, "Bars up are positive, bars down negative." + (few ? " The " + ROWS + " keys with most weight." : "")),
      TL.el("colgroup", {}, COLUMNS.map(function (width) { return TL.el("col", { style: "width:" + width + "%" }); })),
      TL.el("thead", {}, [
        TL.el("tr", { "class": "tl-q" }, [TL.el("th", { scope: "row" }, shorten(data.tokens[data.query])),
          TL.el("td", {}, bars(q, top, -1)), TL.el("td", { colspan: 4 }, "q, the query")]),
        TL.el("tr", {}, ["key", "k", "q \u00d7 k", "q \u00b7 k", "\u00f7 \u221a" + d, "softmax"].map(function (name) {
          return TL.el("th", { scope: "col" }, name);
        })),
      ]), body]));
    about = describe();
    view.say(about);
  }

  // The row of a key; below it, if its button was pressed, the coordinates that count most.
  function tableRow(row, top, topProduct) {
    var vector = k.subarray(row.j * d, row.j * d + d), name = shorten(keys[row.j]);
    var cell = TL.el("td", {}, [row.weight.toFixed(3), TL.el("i", { style: "width:" + Math.round(100 * row.weight) + "%" })]);
    function line(name) {
      return TL.el("tr", {}, [TL.el("th", { scope: "row" }, name), TL.el("td", {}, bars(vector, top, row.j)),
        TL.el("td", {}, bars(row.products, topProduct, row.j)), TL.el("td", {}, number(row.sum)), TL.el("td", {}, number(row.scaled)), cell]);
    }
    if (view.still) return [line(name)];
    var button = TL.el("button", { type: "button", "aria-expanded": String(!!open[row.j]), title: keys[row.j] }, name);
    var detail = TL.el("tr", { "class": "tl-detail" }, TL.el("td", { colspan: 6 }, parts(row)));
    detail.hidden = !open[row.j];
    button.addEventListener("click", function () {
      open[row.j] = !open[row.j];
      detail.hidden = !open[row.j];
      button.setAttribute("aria-expanded", String(open[row.j]));
    });
    return [line(button), detail];
  }

  function parts(row) {
    return "Counts most in q \u00b7 k = " + number(row.sum) + ": " + largest(row.products.map(Math.abs), 6).map(function (c) {
      return "coordinate " + c + ": " + product(row.j, c);
    }).join("; ") + ".";
  }

  function product(j, c) {
    return number(q[c]) + " \u00d7 " + number(k[j * d + c]) + " = " + number(rows[j].products[c]);
  }

  function pointAt(svg, x) {
    if (!svg || !svg.dataset.key) return;
    var place = svg.getBoundingClientRect(), j = +svg.dataset.key;
    var c = Math.min(d - 1, Math.max(0, Math.floor((x - place.left) / place.width * d)));
    view.say("Coordinate " + c + (j < 0 ? " of q: " + number(q[c]) : ", key " + nameOf(keys, j) + ": " + product(j, c)) + ".");
  }

  function describe() {
    var best = rows[largest(rows.map(function (row) { return row.weight; }), 1)[0]];
    return "Layer " + data.layer + ", head " + data.head + ": " + nameOf(data.tokens, data.query) + " gives most weight, " +
      best.weight.toFixed(3) + ", to " + nameOf(keys, best.j) + ": q \u00b7 k is " + number(best.sum) + ", scaled " +
      number(best.scaled) + "." + (data.error > 0.0005 ? " Queries and keys are rounded here: no weight is off by more than " +
      data.error.toFixed(4) + "." : "");
  }
}
