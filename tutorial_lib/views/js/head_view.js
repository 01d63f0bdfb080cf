// One layer, any choice of its heads. The drawing: head_drawing.js.
function draw(view) {
  view.data.live ? liveAttention(view, { weights: "weights" }, show) : show(view);
}

function show(view) {
  var data = view.data, heads = numbers(data.heads).map(Number);
  var picture = headPicture(grouped(data, view.way), function (text) { view.say(text + joined(view.way)); }, view.still);
  if (!view.still) controls(view, picture);
  picture.show({ layer: data.layer, heads: data.head === null ? heads : [data.head], least: data.least });
  if (data.pressed !== undefined) picture.keep(data.pressed);
  delete data.pressed; // of the example, not of another text
  view.picture.replaceChildren(picture.element);
}

function controls(view, picture) {
  var data = view.data, chosen = numbers(data.heads).map(function (_, h) { return data.head === null || h === data.head; });
  var layer = TL.select(view, "Layer", numbers(data.layers), data.layer, update);
  var head = TL.select(view, "Head", numbers(data.heads).concat(["all", "several"]), 0, function () {
    chosen = chosen.map(function (_, h) { return +head.value === data.heads || h === +head.value; });
    update();
  });
  head.lastChild.disabled = true;
  lineControls(view, picture);
  tokenControl(view, show);
  var tiles = chosen.map(function (_, h) {
    var tile = TL.el("button", { type: "button", "class": "tl-tile", style: hue(h, data.heads), "aria-label": "head " + h }, String(h));
    tile.addEventListener("click", function () { chosen[h] = !chosen[h]; update(); });
    tile.addEventListener("dblclick", function () { chosen = chosen.map(function (_, i) { return i === h; }); update(); });
    return tile;
  });
  if (data.heads > 1) view.controls.append(TL.el("div", { "class": "tl-tiles", role: "group", "aria-label": "Heads on and off" }, ["Heads "].concat(tiles)));
  mark();

  // What is chosen, in the menu and on the tiles; returned are the heads.
  function mark() {
    var heads = chosen.map(function (on, h) { return on ? h : -1; }).filter(function (h) { return h >= 0; });
    head.value = heads.length === 1 ? heads[0] : heads.length === data.heads ? data.heads : data.heads + 1;
    tiles.forEach(function (tile, h) { tile.setAttribute("aria-pressed", String(chosen[h])); });
    return heads;
  }

  function update() {
    var heads = mark();
    data.layer = +layer.value; // where another text begins
    data.head = heads.length === 1 ? heads[0] : null;
    picture.show({ layer: data.layer, heads: heads });
  }
}
