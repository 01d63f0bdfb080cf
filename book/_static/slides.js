// Slides: figures and views as large as there is room, the speaker's window, the handout.
(function () {
  "use strict";
  var root = document.documentElement;

  // Letters become smaller where a slide is full; a view becomes as large as the room allows.
  var WIDTHS = [620, 680, 740, 800, 880, 960, 1080, 1200];

  function frame() { return new Promise(function (done) { requestAnimationFrame(function () { setTimeout(done, 0); }); }); }

  function fill(slide) {
    slide.classList.remove("tight");
    if (slide.scrollHeight > slide.clientHeight + 1) slide.classList.add("tight");
  }

  async function fit(slide) {
    fill(slide);
    var view = slide.querySelector(".stage .tl-view");
    if (!view || slide.dataset.fitted === innerWidth + "x" + innerHeight) return;
    slide.dataset.fitted = innerWidth + "x" + innerHeight;
    var room = slide.querySelector(".stage > :first-child"), best = { zoom: 0 };
    view.style.visibility = "hidden";
    view.style.zoom = 1;
    for (var i = 0; i < 2 * WIDTHS.length; i++) {
      var width = WIDTHS[i >> 1], beside = i % 2 === 1; // what one sets above the picture, or to the right of it
      view.style.width = width + "px";
      view.classList.toggle("beside", beside);
      await frame();
      var cut = [view].concat([].slice.call(view.querySelectorAll(".tl-picture, .tl-scroll"))).some(function (box) { return box.scrollWidth > box.clientWidth + 1; });
      var zoom = Math.min(room.clientWidth / width, room.clientHeight / view.offsetHeight);
      if (zoom > best.zoom && !cut || !best.zoom) best = { zoom: zoom, width: width, beside: beside };
    }
    view.style.width = best.width + "px";
    view.classList.toggle("beside", best.beside);
    await frame();
    scale();
    view.style.visibility = "";
    new ResizeObserver(scale).observe(view); // another sentence may need more room

    function scale() {
      var now = Math.min(room.clientWidth / best.width, room.clientHeight / view.offsetHeight);
      view.style.zoom = now;
      view.style.setProperty("--zoom", now);
      var looks = view.querySelector(".tl-gaze [aria-pressed=true]");
      if (looks) looks.click(); // bows lead to where words stand now
    }
  }

  // The speaker's window: the notes of the slide, what comes next, and the time since it was opened.
  var speaker = null, since = 0;

  function speak() {
    if (speaker && !speaker.closed) return speaker.focus();
    speaker = window.open("", "notes", "width=900,height=800");
    if (!speaker) return;
    since = Date.now();
    var page = speaker.document, styles = document.querySelectorAll("link[rel=stylesheet], style");
    page.documentElement.lang = "en";
    page.title = "Notes: " + document.title;
    page.head.innerHTML = '<base href="' + location.href.replace(/#.*/, "") + '">' + [].map.call(styles, function (style) { return style.outerHTML; }).join("");
    page.body.className = "speaker";
    page.body.innerHTML = "<p><time></time> <span></span></p><main></main>";
    page.addEventListener("keydown", function (event) {
      if (/^(Arrow(Right|Down)|PageDown| )$/.test(event.key)) Reveal.next();
      else if (/^(Arrow(Left|Up)|PageUp)$/.test(event.key)) Reveal.prev();
      else return;
      event.preventDefault();
    });
    setInterval(clock, 1000);
    notes();
  }

  function clock() {
    var seconds = Math.floor((Date.now() - since) / 1000);
    if (!speaker.closed) speaker.document.querySelector("time").textContent = Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0");
  }

  function notes() {
    if (!speaker || speaker.closed) return;
    var slides = Reveal.getSlides(), at = slides.indexOf(Reveal.getCurrentSlide()), next = slides[at + 1];
    var poll = slides[at].querySelector(".answer:not(.visible)");
    speaker.document.documentElement.dataset.theme = root.dataset.theme;
    speaker.document.querySelector("span").textContent = "Slide " + (at + 1) + " of " + slides.length + ". Next: " +
      (poll ? "the answer" : next ? next.querySelector("h1, h2").textContent.trim() + ", " + (next.querySelector("figcaption, .ask, .question, .says, .math") || next).textContent.trim().slice(0, 60) : "the end");
    var main = speaker.document.querySelector("main");
    main.innerHTML = slides[at].querySelector("aside.notes").innerHTML;
    clock();
    var now = main.querySelector(".now");
    if (now) now.scrollIntoView({ block: "center" });
    else speaker.scrollTo(0, 0);
  }

  // The paper has another shape than the screen: what was fitted to this is fitted again.
  function forPaper() {
    document.querySelectorAll(".slide").forEach(function (slide) { delete slide.dataset.fitted; });
  }

  addEventListener("load", async function () {
    if (window.MathJax && MathJax.startup) await MathJax.startup.promise;
    await Reveal.initialize({
      width: "100%", height: "100%", margin: 0, minScale: 1, maxScale: 1, center: false, hash: true, controls: false, display: "flex",
      slideNumber: "c/t", transition: "none", pdfSeparateFragments: false, viewDistance: 2,
      keyboard: { 83: speak, 68: turnTheme },
      // What a view does with a key is the view's.
      keyboardCondition: function (event) { return !event.defaultPrevented && !event.target.closest("input, select, textarea"); },
    });
    Reveal.on("slidechanged", function (event) { fit(event.currentSlide); notes(); });
    ["fragmentshown", "fragmenthidden"].forEach(function (kind) { Reveal.on(kind, notes); });
    Reveal.on("resize", function () { fit(Reveal.getCurrentSlide()); });
    addEventListener("afterprint", forPaper);
    await fit(Reveal.getCurrentSlide());
    root.dataset.ready = "";
  });
})();
