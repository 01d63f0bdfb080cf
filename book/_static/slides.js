// Slides: figures and views as large as there is room, the speaker's window, the handout.
(function () {
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
    enlarge(0);
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

  // A quarter of the picture, twice as large: Z goes from one to the next and back to all, a click goes to where it is.
  var quarter = 0;

  function enlarge(next) {
    quarter = next % 5;
    all(".stage > .zoomed").forEach(function (box) {
      box.classList.remove("zoomed");
      box.style.transform = "";
    });
    var box = quarter && all(".present .stage > :not(figcaption)").find(function (one) { return one.clientHeight; });
    if (!box) return;
    var at = inner(box), right = (quarter - 1) % 2, lower = (quarter - 1) >> 1;
    box.classList.add("zoomed");
    box.style.transformOrigin = (at.left + right * at.width) + "px " + (at.top + lower * at.height) + "px";
    box.style.transform = "scale(2)";
  }

  // Where in its box a picture or a view lies.
  function inner(box) {
    var view = box.querySelector(".tl-view"), around = box.getBoundingClientRect();
    if (view) {
      var at = view.getBoundingClientRect();
      return { left: at.left - around.left, top: at.top - around.top, width: at.width, height: at.height };
    }
    var image = box.querySelector("img") || box, size = Math.min(box.clientWidth / image.naturalWidth, box.clientHeight / image.naturalHeight);
    var width = size * image.naturalWidth, height = size * image.naturalHeight;
    return { left: (box.clientWidth - width) / 2, top: (box.clientHeight - height) / 2, width: width, height: height };
  }

  function clicked(event) {
    var picture = event.target.closest(".stage > picture, .stage > img");
    if (!picture) return;
    var box = picture.getBoundingClientRect();
    enlarge(quarter ? 0 : 1 + (event.clientX > box.left + box.width / 2) + 2 * (event.clientY > box.top + box.height / 2));
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
    all(".tl-live [role=status]").forEach(function (note) { note.textContent = ""; }); // the plan says what it loads
    await fit();
    await Reveal.initialize({
      width: "100%", height: "100%", margin: 0, minScale: 1, maxScale: 1, center: false, hash: true, controls: false, display: "flex",
      slideNumber: "c/t", transition: "none", pdfSeparateFragments: false, viewDistance: 2,
      keyboard: { 83: speak, 68: turnTheme, 90: function () { enlarge(quarter + 1); } },
      // What a view does with a key is the view's.
      keyboardCondition: function (event) { return !event.defaultPrevented && !event.target.closest("input, select, textarea"); },
    });
    ["slidechanged", "fragmentshown", "fragmenthidden"].forEach(function (kind) { Reveal.on(kind, notes); });
    Reveal.on("slidechanged", function () { enlarge(0); });
    document.querySelector(".slides").addEventListener("click", follow);
    document.querySelector(".slides").addEventListener("click", clicked);
    var waiting = 0;
    addEventListener("resize", function () {
      clearTimeout(waiting);
      waiting = setTimeout(fit, 200);
    });
    root.dataset.ready = "";
  });
})();
