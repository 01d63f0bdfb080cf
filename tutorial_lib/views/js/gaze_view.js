// A sentence that looks at itself: point at a word, and bows lead to the words that it attends to.
function draw(view) {
  if (view.data.query === null) view.data.query = askingWord(view.data.tokens, view.data.weights.flat());
  gaze(view);
  if (view.data.live && !view.still) TL.live(view, "Your sentence", async function (text, live, current) {
    var data = view.data, stop = "layer." + data.layer + ".attention.weights";
    var trace = await live.trace(text, { model: data.live, stops: [stop] }), n = trace.tokens.length;
    if (!current()) return "";
    var values = trace.stops[stop].values.subarray(data.head * n * n, (data.head + 1) * n * n);
    data.tokens = trace.tokens;
    data.weights = numbers(n).map(function (_, i) { return Array.from(values.subarray(i * n, (i + 1) * n)); });
    data.query = askingWord(data.tokens, values);
    gaze(view);
    return TL.cut(trace);
  }, view.data.live);
}

function gaze(view) {
  var data = view.data, FAINT = 0.05; // a smaller weight is drawn, its number is not
  var svg = TL.svg("svg", { "aria-hidden": "true" });
  var buttons = data.tokens.map(function (token) {
    return TL.el("button", Object.assign({ type: "button" }, /^##|^\[/.test(token) && { "class": "tl-piece" }), shown(token));
  });
  var marks = buttons.map(function () { return TL.el("small"); });
  var words = TL.el("ol", {}, buttons.map(function (button, i) { return TL.el("li", {}, [button, marks[i]]); }));
  var line = TL.el("div", { "class": "tl-gaze" }, [svg, words]);
  view.picture.replaceChildren(line);
  look(data.query);
  if (!view.still) controls();

  function shown(token) { return token.replace(/^##(?=.)/, "-"); }

  function share(weight) { return weight.toFixed(2).replace(/^0/, ""); }

  function look(i) {
    var row = data.weights[i], most = row.indexOf(Math.max.apply(null, row));
    data.query = i;
    buttons.forEach(function (button, j) {
      button.style.setProperty("--weight", row[j].toFixed(3));
      button.setAttribute("aria-pressed", String(i === j));
      marks[j].textContent = share(row[j]);
      row[j] < FAINT ? marks[j].setAttribute("class", "tl-faint") : marks[j].removeAttribute("class");
    });
    view.say("\u201c" + shown(data.tokens[i]) + "\u201d looks most at \u201c" + shown(data.tokens[most]) + "\u201d: " + share(row[most]) + " of its weight.");
  }

  // They lead from the query word to the others; the words' positions decide where they end.
  function bows() {
    var i = data.query, row = data.weights[i], edge = svg.getBoundingClientRect();
    var at = buttons.map(function (button) {
      var box = button.getBoundingClientRect();
      return box.left + box.width / 2 - edge.left;
    });
    svg.replaceChildren.apply(svg, buttons.flatMap(function (_, j) {
      if (row[j] < 0.02 || i === j) return [];
      var top = edge.height - Math.min(edge.height - 8, 22 + Math.abs(at[i] - at[j]) * 0.34);
      var ends = [[at[i], edge.height], [at[i], top], [at[j], top], [at[j], edge.height]];
      return TL.svg("path", { d: "M" + ends[0] + "C" + ends.slice(1).join(" "),
        "stroke-width": Math.max(1, row[j] * 14).toFixed(1), "stroke-opacity": (0.35 + 0.65 * row[j]).toFixed(2) });
    }));
  }

  function controls() {
    buttons.forEach(function (button, i) {
      ["mouseenter", "focus", "click"].forEach(function (kind) { button.addEventListener(kind, function () { look(i); bows(); }); });
    });
    rove(buttons, function (i, key) { return { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: buttons.length - 1 }[key]; });
    fit();
    new ResizeObserver(function (_, watch) {
      if (words.isConnected) fit();
      else watch.disconnect(); // another sentence took their place
    }).observe(view.picture);
  }

  // A sentence too long for one line wraps, without bows.
  function fit() {
    line.classList.remove("tl-wraps");
    line.classList.toggle("tl-wraps", line.offsetWidth > view.picture.clientWidth);
    bows();
  }
}
