// Figures drawn beforehand behind a range input, which says the value. The first one stays in the page: it is printed.
function draw(view) {
  var data = view.data;
  var first = view.picture.querySelector("figure");
  var image = TL.el("img", {});
  var now = TL.el("figure", { class: "tl-frame" }, image);
  var images = data.images.slice();
  images[0] = first.querySelector("img").src;
  var range = TL.range(view, data.name, { min: 0, max: data.values.length - 1, step: 1, value: data.start },
    function (i) { return data.values[i]; }, show);
  first.classList.add("tl-printed");
  view.picture.append(now);
  show();

  function show() {
    var i = +range.value;
    image.src = images[data.frames[i]];
    image.alt = data.alts[i];
    view.say(data.alts[i]);
  }
}
