// Slides: a part of a picture, larger; links that fill a view; the speaker's window. layout.js chooses the layouts.
(function () {
  "use strict";
  var root = document.documentElement, all = slideLayout.all;

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
    await slideLayout.fit();
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
      waiting = setTimeout(function () {
        enlarge(0);
        slideLayout.fit();
      }, 200);
    });
    root.dataset.ready = "";
  });
})();
