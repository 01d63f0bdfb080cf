// Shared by all views: find the view's element, read its data, make controls. Each view's own file defines draw(view).
var TL = {
  // Every element with this key that is not alive yet: a notebook may insert the same output twice.
  start: function (key, draw) {
    document.querySelectorAll('[data-view="' + key + '"]:not([data-ready])').forEach(function (root) {
      root.setAttribute("data-ready", "");
      var view = {
        root: root,
        data: JSON.parse(root.querySelector('script[type="application/json"]').textContent),
        controls: root.querySelector(".tl-controls"),
        picture: root.querySelector(".tl-picture"),
        say: function (text) { root.querySelector(".tl-say").textContent = text; },
      };
      TL.keepFocus(root);
      draw(view);
      view.controls.hidden = !view.controls.childElementCount;
      if (window.tutorialLib) tutorialLib.saving(view);
    });
  },

  kind: function (view) { return view.root.getAttribute("data-view").split("-")[0]; },

  // A link to this kind of view, #view=gaze_view&text=..., opens what the view is folded into, scrolls there, and is handed to
  // act(link): when the page opens, and when its address changes.
  linked: function (view, act) {
    function arrive() {
      var link = new URLSearchParams(location.hash.slice(1));
      if (link.get("view") !== TL.kind(view)) return;
      for (var element = view.root; element; element = element.parentElement) if (element.tagName === "DETAILS") element.open = true;
      view.root.scrollIntoView();
      addEventListener("load", function () { view.root.scrollIntoView(); }); // what lies above may still have grown
      act(link);
    }
    addEventListener("hashchange", arrive);
    arrive();
  },

  // If a press redraws the pressed element, the focus moves to its replacement.
  keepFocus: function (root) {
    var AREAS = ".tl-live, .tl-controls, .tl-picture", last = null, area = null, place = -1;
    function items(area) {
      return Array.from(area.querySelectorAll("a[href], button, input, select, textarea, [tabindex]")).filter(function (item) { return item.checkVisibility(); });
    }
    root.addEventListener("focusin", function (event) {
      last = event.target;
      area = last.closest(AREAS);
      place = area ? items(area).indexOf(last) : -1;
    });
    root.addEventListener("focusout", function () {
      setTimeout(function () { if (last && last.isConnected && last !== document.activeElement) last = null; }); // the reader left
    });
    new MutationObserver(function () {
      if (!last || last.isConnected || document.activeElement !== document.body || place < 0) return;
      var others = items(area);
      (others[Math.min(place, others.length - 1)] || root.querySelector("input, button, select")).focus({ preventScroll: true });
    }).observe(root, { childList: true, subtree: true });
  },

  bytes: function (base64) {
    return Uint8Array.from(atob(base64), function (c) { return c.charCodeAt(0); });
  },

  floats: function (base64) {
    return new Float32Array(TL.bytes(base64).buffer);
  },

  // A promise of the text that pack_text took.
  inflate: function (base64) {
    var stream = new Blob([TL.bytes(base64)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  },

  // An element with attributes and children; strings become text, never markup.
  el: function (tag, attributes, children) {
    return TL.fill(document.createElement(tag), attributes, children);
  },

  svg: function (tag, attributes, children) {
    return TL.fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  },

  fill: function (element, attributes, children) {
    for (var name in attributes) element.setAttribute(name, attributes[name]);
    [].concat(children == null ? [] : children).forEach(function (child) { element.append(child); });
    return element;
  },

  // A labelled <select> in the view's controls. options: texts; the value is the index.
  select: function (view, label, options, value, changed) {
    var select = TL.el("select", {}, options.map(function (text, i) { return TL.el("option", { value: i }, text); }));
    select.value = value;
    select.addEventListener("change", changed);
    view.controls.append(TL.el("label", {}, [label + " ", select]));
    return select;
  },

  // A labelled range input with its value shown; show(value) gives the text.
  range: function (view, label, options, show, changed) {
    var input = TL.el("input", Object.assign({ type: "range" }, options));
    var output = TL.el("output", {});
    function tell() {
      output.textContent = show(+input.value);
      input.setAttribute("aria-valuetext", output.textContent);
    }
    input.addEventListener("input", function () { tell(); changed(); });
    tell();
    view.controls.append(TL.el("label", {}, [label + " ", input, " ", output]));
    return input;
  },

  checkbox: function (view, label, checked, changed) {
    var input = TL.el("input", { type: "checkbox" });
    input.checked = checked;
    input.addEventListener("change", changed);
    view.controls.append(TL.el("label", {}, [input, " " + label]));
    return input;
  },

  // With a true minus sign, and none before a zero.
  number: function (x, digits) {
    var text = x.toFixed(digits === undefined ? 2 : digits);
    return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "\u2212");
  },

  softmax: function (z) {
    var top = Math.max.apply(null, z);
    var e = z.map(function (x) { return Math.exp(x - top); });
    var sum = e.reduce(function (a, b) { return a + b; }, 0);
    return e.map(function (x) { return x / sum; });
  },
};
