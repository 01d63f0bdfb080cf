// A sheet: letters as large as one page of A4 or Letter allows.
(function () {
  "use strict";
  var root = document.documentElement;

  addEventListener("load", async function () {
    if (window.MathJax && MathJax.startup) await MathJax.startup.promise;
    await document.fonts.ready;
    var sheet = document.querySelector(".sheet"), content = sheet.firstElementChild;
    sheet.style.cssText = "height:250mm;width:186mm;padding:0;--room:0px"; // as on paper, whatever the window is
    var room = sheet.clientHeight, size = 13;
    for (; size > 6; size -= 0.25) {
      sheet.style.setProperty("--size", size + "pt");
      if (content.offsetHeight <= room && sheet.scrollWidth <= sheet.clientWidth) break;
    }
    sheet.dataset.room = ""; // a figure, where a quarter of the page is left for it
    var left = room - content.offsetHeight - 12;
    if (left < room / 4) delete sheet.dataset.room;
    sheet.style.cssText = "--size:" + size + "pt;--room:" + Math.min(left, room / 2) + "px";
    addEventListener("resize", shrink);
    shrink();
    root.dataset.ready = "";

    function shrink() { // a narrow screen shows the whole paper
      sheet.style.zoom = 1;
      sheet.style.zoom = Math.min(1, innerWidth / sheet.offsetWidth);
    }
  });
})();
