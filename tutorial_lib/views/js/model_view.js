// Every head as a small picture in a grid; the chosen one's lines beside it.
function draw(view) {
  view.note = view.root.querySelector(".tl-say").textContent;
  view.data.live ? liveAttention(view, { weights: "weights" }, show) : show(view);
}

function show(view) {
  var data = view.data, shown = grouped(data, view.way);
  var picture = headPicture(shown, function (text) { view.say(text + joined(view.way)); });
  var style = "flex-basis:" + (24 + 44 * data.heads) + "px;grid-template-columns:16px repeat(" + data.heads + ", minmax(24px, 56px))";
  var grid = TL.el("div", { "class": "tl-grid", role: "group", "aria-label": "Layers and heads", style: style });
  var buttons = [];
  grid.append(TL.el("span", {}));
  numbers(data.heads).forEach(function (h) { grid.append(TL.el("span", { "aria-hidden": "true" }, h)); });
  for (var layer = 0; layer < data.layers; layer++) {
    grid.append(TL.el("span", { "aria-hidden": "true" }, String(layer)));
    for (var head = 0; head < data.heads; head++) buttons.push(thumbnail(layer, head));
    grid.append.apply(grid, buttons.slice(-data.heads));
  }

  function thumbnail(layer, head) {
    var name = "layer " + layer + ", head " + head;
    var canvas = paint(picture.weightsOf(layer, head), shown.tokens.length, (data.keys || shown.tokens).length);
    var button = TL.el("button", { type: "button", "aria-label": name, title: name }, canvas);
    button.addEventListener("click", function () { open(layer, head); });
    return button;
  }

  function open(layer, head) {
    buttons.forEach(function (button, i) { button.setAttribute("aria-pressed", String(i === layer * data.heads + head)); });
    data.layer = layer; // where another text begins
    data.head = head;
    picture.show({ layer: layer, heads: [head] });
  }

  rove(buttons, function (i, key) {
    var column = i % data.heads, start = i - column;
    return { ArrowLeft: Math.max(start, i - 1), ArrowRight: Math.min(start + data.heads - 1, i + 1), Home: start,
      End: start + data.heads - 1, ArrowUp: i - data.heads, ArrowDown: i + data.heads }[key];
  });
  lineControls(view, picture);
  tokenControl(view, show);
  picture.show({ least: data.least });
  open(data.layer, data.head);
  view.picture.replaceChildren(TL.el("p", { "class": "tl-note" }, view.note),
    TL.el("div", { "class": "tl-model" }, [grid, TL.el("div", { "class": "tl-panel" }, picture.element)]));
}

// One pixel for each weight: the pink of models.py, as strong as the weight's square root.
function paint(weights, rows, columns) {
  var canvas = TL.el("canvas", { width: columns, height: rows }), context = canvas.getContext("2d");
  var image = context.createImageData(columns, rows);
  weights.forEach(function (w, k) { image.data.set([190, 76, 148, 255 * Math.sqrt(w)], 4 * k); });
  context.putImageData(image, 0, 0);
  return canvas;
}
