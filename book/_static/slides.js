// Slides: figures and views as large as there is room, the speaker's window, the handout.
(function () {
  "use strict";
  var root = document.documentElement;

  // Letters become smaller where a slide is full; a view becomes as large as the room allows: it is tried in several
  // widths, with what one sets above the picture, or to the right of it. All slides are measured at once.
  var WIDTHS = [620, 680, 740, 800, 880, 960, 1080, 1200];

  function frame() { return new Promise(function (done) { requestAnimationFrame(function () { setTimeout(done, 0); }); }); }

  async function fit() {
    root.classList.add("measuring");
    document.querySelectorAll(".slide").forEach(function (slide) {
      slide.classList.remove("tight");
      if (slide.scrollHeight > slide.clientHeight + 1) slide.classList.add("tight");
    });
    var views = [].map.call(document.querySelectorAll(".stage .tl-view"), function (view) {
      return { view: view, room: view.closest(".stage > :first-child"), zoom: 0 };
    });
    for (var i = 0; i < 2 * WIDTHS.length && views.length; i++) {
      var width = WIDTHS[i >> 1], beside = i % 2 === 1;
      views.forEach(function (one) { shape(one.view, width, beside, 1); });
      await frame();
      views.forEach(function (one) {
        var zoom = Math.min(one.room.clientWidth / width, one.room.clientHeight / one.view.offsetHeight);
        var cut = isCut(one.view);
        // What shows all of itself goes before what is larger.
        if (one.zoom && (cut === one.cut ? zoom <= one.zoom : cut)) return;
        Object.assign(one, { zoom: zoom, width: width, beside: beside, cut: cut });
      });
    }
    views.forEach(function (one) { shape(one.view, one.width, one.beside, one.zoom); });
    await frame();
    views.forEach(function (one) {
      scale(one);
      if (!one.view.dataset.watched) new ResizeObserver(function () { scale(one); }).observe(one.view); // another sentence may need more room
      one.view.dataset.watched = "";
    });
    root.classList.remove("measuring");
  }

  function shape(view, width, beside, zoom) {
    view.style.width = width + "px";
    view.classList.toggle("beside", beside);
    view.style.zoom = zoom;
  }

  function isCut(view) {
    return [view].concat([].slice.call(view.querySelectorAll(".tl-picture, .tl-scroll"))).some(function (box) { return box.scrollWidth > box.clientWidth + 1; });
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

  // A link that fills a view of the chapter fills the view of a slide, where there is one; others open beside the slides.
  function follow(event) {
    var link = event.target.closest("a[href]"), texts = link && new URLSearchParams(link.hash.slice(1)), kind = texts && texts.get("view");
    var view = kind && document.querySelector('.tl-view[data-view^="' + kind + '-"]');
    var boxes = view ? view.querySelectorAll(".tl-live input, textarea") : [];
    if (!link) return;
    event.preventDefault();
    if (!boxes.length) {
      window.open(link.href, "chapter");
      return;
    }
    Reveal.slide(Reveal.getSlides().indexOf(view.closest(".slide")));
    boxes.forEach(function (box, i) {
      box.value = texts.get(i ? "text" + (i + 1) : "text") || box.value;
      box.dispatchEvent(new Event("input", { bubbles: true }));
    });
    if (boxes[0].form) boxes[0].form.requestSubmit();
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
    page.body.innerHTML = "<p><time></time> <span></span></p><main></main><style></style>";
    page.addEventListener("click", follow);
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

  async function notes() {
    if (!speaker || speaker.closed) return;
    var slides = Reveal.getSlides(), at = slides.indexOf(Reveal.getCurrentSlide()), next = slides[at + 1];
    var aside = slides[at].querySelector("aside.notes"), later = aside.querySelectorAll(".later");
    later.forEach(function (formula) { formula.classList.replace("later", "math"); }); // drawn when somebody reads it
    if (later.length) await MathJax.typesetPromise([aside]);
    var poll = slides[at].querySelector(".answer:not(.visible)");
    speaker.document.documentElement.dataset.theme = root.dataset.theme;
    speaker.document.querySelector("span").textContent = "Slide " + (at + 1) + " of " + slides.length + ". Next: " +
      (poll ? "the answer" : next ? next.querySelector("h1, h2").textContent.trim() + ", " + (next.querySelector("figcaption, .ask, .question, .says, .math") || next).textContent.trim().slice(0, 60) : "the end");
    var main = speaker.document.querySelector("main");
    main.innerHTML = aside.innerHTML;
    var drawn = document.getElementById("MJX-CHTML-styles");
    if (drawn) speaker.document.querySelector("body > style").textContent = [].map.call(drawn.sheet.cssRules, function (rule) { return rule.cssText; }).join("\n");
    clock();
    var now = main.querySelector(".now");
    if (now) now.scrollIntoView({ block: "center" });
    else speaker.scrollTo(0, 0);
  }

  addEventListener("load", async function () {
    if (window.MathJax && MathJax.startup) await MathJax.startup.promise;
    await document.fonts.ready;
    await fit();
    await Reveal.initialize({
      width: "100%", height: "100%", margin: 0, minScale: 1, maxScale: 1, center: false, hash: true, controls: false, display: "flex",
      slideNumber: "c/t", transition: "none", pdfSeparateFragments: false, viewDistance: 2,
      keyboard: { 83: speak, 68: turnTheme },
      // What a view does with a key is the view's.
      keyboardCondition: function (event) { return !event.defaultPrevented && !event.target.closest("input, select, textarea"); },
    });
    ["slidechanged", "fragmentshown", "fragmenthidden"].forEach(function (kind) { Reveal.on(kind, notes); });
    document.querySelector(".slides").addEventListener("click", follow);
    var waiting = 0;
    addEventListener("resize", function () {
      clearTimeout(waiting);
      waiting = setTimeout(fit, 200);
    });
    root.dataset.ready = "";
  });
})();
