// The layout of each slide, chosen in the browser: which drawing of a figure, how wide a view, its caption below or beside.
var slideLayout = (function () {
  "use strict";
  var root = document.documentElement;

  // Letters become smaller where a slide is full. A figure has three layouts, and a view can be tried in several widths,
  // with what one sets above the picture or to the right of it; either may have its caption below or beside it. What has
  // the largest letters is taken. All slides are measured at once.
  var WIDTHS = [440, 500, 560, 620, 680, 740, 800, 880, 960, 1080, 1200];
  var READ = 24; // pixels of a letter, at 720 lines, that the last row can read
  var ENOUGH = 26; // pixels of a letter, at 720 lines: beyond, a larger picture is better

  function frame() { return new Promise(function (done) { requestAnimationFrame(function () { setTimeout(done, 0); }); }); }

  function all(css, element) { return [].slice.call((element || document).querySelectorAll(css)); }

  // Whether a caption beside its picture is higher than the slide.
  function isFull(stage) { return stage.querySelector("figcaption").offsetHeight > stage.clientHeight; }

  async function fit() {
    root.classList.add("measuring");
    all(".stage").forEach(function (stage) { stage.classList.remove("aside"); });
    all(".slide").forEach(function (slide) {
      slide.classList.remove("tight");
      if (slide.scrollHeight > slide.clientHeight + 1) slide.classList.add("tight");
    });
    var pixel = Math.min(innerWidth / 960, innerHeight / 720), enough = ENOUGH * pixel;
    var drawn = all(".stage:has(> picture)").map(function (stage) { return { stage: stage, letters: 0, area: 0 }; });
    var views = all(".stage .tl-view").map(function (view) {
      return { view: view, stage: view.closest(".stage"), room: view.closest(".stage > :first-child"), letters: 0, zoom: 0 };
    });
    for (var aside = 0; aside < 2; aside++) {
      drawn.concat(views).forEach(function (one) { one.stage.classList.toggle("aside", aside === 1); });
      drawn.forEach(function (one) { draw(one, aside === 1, READ * pixel); });
      for (var i = 0; i < 2 * WIDTHS.length && views.length; i++) {
        var width = WIDTHS[i >> 1], beside = i % 2 === 1;
        views.forEach(function (one) { shape(one.view, width, beside, 1); });
        await frame();
        views.forEach(function (one) { measure(one, width, beside, aside === 1, enough); });
      }
    }
    drawn.forEach(function (one) {
      one.stage.classList.toggle("aside", one.aside);
      all("picture", one.stage).forEach(function (picture) {
        layouts(picture).forEach(function (file, layout) { if (file.matches("source")) file.media = layout === one.layout ? "all" : "not all"; });
      });
    });
    views.forEach(function (one) {
      one.stage.classList.toggle("aside", one.aside);
      shape(one.view, one.width, one.beside, one.zoom);
    });
    await frame();
    views.forEach(function (one) {
      scale(one);
      if (!one.view.dataset.watched) new ResizeObserver(function () { scale(one); }).observe(one.view); // another sentence may need more room
      one.view.dataset.watched = "";
    });
    root.classList.remove("measuring");
  }

  // The page's, the slide's and the phone's.
  function layouts(picture) { return all("img, source", picture).reverse(); }

  // A figure in each of its layouts, its caption below it or beside it: letters that the last row can read go before a
  // larger picture.
  function draw(one, aside, read) {
    var room = all("picture", one.stage).find(function (picture) { return picture.clientHeight; });
    if (!room || aside && isFull(one.stage)) return;
    layouts(room).forEach(function (file, layout) {
      var width = file.getAttribute("width"), height = file.getAttribute("height");
      var size = Math.min(room.clientWidth / width, room.clientHeight / height), area = size * size * width * height;
      var letters = Math.min(read, size * (file.dataset.letters || 1));
      var better = letters > 1.001 * one.letters || letters > 0.999 * one.letters && area > 1.1 * one.area;
      if (better) Object.assign(one, { letters: letters, area: area, layout: layout, aside: aside });
    });
  }

  // A view as it is shaped now. What shows all of itself goes before what is cut, then letters count, then size.
  function measure(one, width, beside, aside, enough) {
    if (aside && isFull(one.stage)) return;
    var zoom = Math.min(one.room.clientWidth / width, one.room.clientHeight / one.view.offsetHeight);
    var now = { zoom: zoom, width: width, beside: beside, aside: aside, cut: isCut(one.view), letters: Math.min(enough, zoom * smallest(one.view)) };
    if (!one.zoom || one.cut && !now.cut || one.cut === now.cut &&
        (now.letters > 1.05 * one.letters || now.letters > 0.999 * one.letters && zoom > one.zoom)) Object.assign(one, now);
  }

  // The smallest letters of what a view shows, in pixels; what one sets need not be read from afar.
  function smallest(view) {
    return all(".tl-picture *, .tl-say", view).reduce(function (least, part) {
      var said = [].some.call(part.childNodes, function (node) { return node.nodeType === 3 && node.data.trim(); });
      if (!said || part.matches("sup, sub, option") || !part.checkVisibility()) return least;
      var drawn = part.ownerSVGElement && part.getScreenCTM();
      return Math.min(least, parseFloat(getComputedStyle(part).fontSize) * (drawn ? Math.hypot(drawn.a, drawn.b) : 1));
    }, 16);
  }

  function shape(view, width, beside, zoom) {
    view.style.width = width + "px";
    view.classList.toggle("beside", beside);
    view.style.zoom = zoom;
  }

  function isCut(view) {
    return [view].concat(all(".tl-picture, .tl-scroll", view)).some(function (box) { return box.scrollWidth > box.clientWidth + 1; });
  }

  function scale(one) {
    if (!one.room.clientHeight) return; // its slide is not shown
    var zoom = Math.min(one.room.clientWidth / parseFloat(one.view.style.width), one.room.clientHeight / one.view.offsetHeight);
    one.view.style.zoom = zoom;
    one.view.style.setProperty("--zoom", zoom);
    one.view.style.setProperty("--on-paper", zoom / Math.min(innerWidth / 960, innerHeight / 720));
    var looks = one.view.querySelector(".tl-gaze [aria-pressed=true]");
    if (looks) looks.click(); // bows lead to where words stand now
  }

  return { all: all, fit: fit };
})();
