// The reader's own text in a view, if the page loads the model (see views/engine). Elsewhere, as in a notebook,
// nothing is added: Python runs there. boxes: a label, or a list of [label, text, remember]: as many boxes, filled with
// what is shown; a sentence that is remembered is in the box on the next page. answer(text or texts, live, current): a
// promise; it shows the text, if current() says that no other was typed meanwhile, and may give a note on it. Returns
// ask(texts), which fills the boxes and asks.
TL.live = function (view, boxes, answer, name) {
  var live = window.tutorialLib, size = /^book/.test(name) ? "2 MB" : "32 MB", one = typeof boxes === "string";
  if (!live) {
    var lacks = TL.el("p", { role: "status" }, "This file lacks the model, so it cannot answer the text in your link; the book\u2019s pages can.");
    TL.linked(view, function () { view.controls.before(lacks); });
    return null;
  }
  var turn = 0, timer = null, ready = false, answered = [];
  var labels = one ? [[boxes, "", true]] : boxes;
  var inputs = labels.map(function (box) {
    var input = TL.el("input", { type: "text", maxlength: 4000, autocomplete: "off", placeholder: box[1] || "Type your own sentence" });
    input.value = box[2] && live.sentence(name) || box[1];
    input.addEventListener("input", function () { // typing asks automatically, once the model is there or was there on another page
      clearTimeout(timer);
      if (ready || live.wanted(name)) timer = setTimeout(show, 250);
    });
    return input;
  });
  var button = TL.el("button", { type: "submit" }, "Show");
  var bar = TL.el("progress", { hidden: "", "aria-label": "Loading the model" });
  var note = TL.el("span", { role: "status" }), link = TL.el("a", { hidden: "" }, "Link to this");
  var form = TL.el("form", { "class": "tl-live" }, labels.map(function (box, i) {
    return TL.el("label", { style: "--long:" + (4 + 0.55 * (box[0].length + box[1].length)) + "em" }, [box[0] + " ", inputs[i]]); // room for its text
  })
    .concat([button, TL.el("small", {}, [bar, note, " ", link])]));
  note.textContent = live.wanted(name) ? "" : "The first time, this loads the model: " + size + ", from the book itself.";
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    show();
  });
  view.root.insertBefore(form, view.controls);
  var mine = inputs.some(function (input, i) { return input.value !== labels[i][1]; }); // a text of the reader's
  TL.linked(view, async function (sent) { // a link's texts are answered at once
    if (!sent.get("text") || location.hash === link.hash) return; // or it is this view's own
    mine = false;
    inputs.forEach(function (input, i) { input.value = sent.get(key(i)) || input.value; });
    view.picture.classList.add("tl-stale");
    await show();
    if (!link.hidden) choose((sent.get("set") || "").split("."), (sent.get("on") || "").split("."));
  });
  ["pointerdown", "keydown", "click"].forEach(function (kind) { link.addEventListener(kind, address); });
  if (mine && live.wanted(name)) seen(show);

  // Once the view comes into sight.
  function seen(act) {
    new IntersectionObserver(function (entries, observer) {
      if (!entries.some(function (entry) { return entry.isIntersecting; })) return;
      observer.disconnect();
      act();
    }).observe(view.root);
  }

  function key(i) { return i ? "text" + (i + 1) : "text"; }

  // A link has the texts and what the reader chose for them: the state of menus and sliders, which buttons are pressed.
  function knobs() { return Array.from(view.root.querySelectorAll("select, input[type=range], input[type=checkbox]")); }

  function pressed() { return Array.from(view.root.querySelectorAll("[aria-pressed]")); }

  function isOn(button) { return button.getAttribute("aria-pressed") === "true"; }

  function place(knob) { return String(knob.type === "checkbox" ? +knob.checked : knob.options ? knob.selectedIndex : Math.round((knob.value - knob.min) / knob.step)); }

  function address() {
    var on = pressed().map(function (button, i) { return isOn(button) ? i : -1; }).filter(function (i) { return i >= 0; });
    link.href = "#" + new URLSearchParams([["view", TL.kind(view)], ["set", knobs().map(place).join(".")], ["on", on.join(".")]]
      .concat(answered.map(function (text, i) { return [key(i), text]; })));
  }

  function choose(set, on) {
    set.forEach(function (wanted, i) {
      var knob = knobs()[i]; // a choice may make others
      if (!knob || !/^\d+$/.test(wanted) || place(knob) === wanted) return;
      if (knob.type === "checkbox") knob.checked = wanted === "1";
      else if (!knob.options) knob.value = +knob.min + wanted * knob.step;
      else if (knob.options[wanted] && !knob.options[wanted].disabled) knob.selectedIndex = wanted;
      knob.dispatchEvent(new Event(knob.type === "range" ? "input" : "change"));
    });
    [true, false].forEach(function (press) {
      if (on.join("")) pressed().forEach(function (button, i) {
        if (button.isConnected && on.includes(String(i)) === press && isOn(button) !== press) button.dispatchEvent(new MouseEvent("click"));
      });
    });
  }

  async function show() {
    var texts = inputs.map(function (input) { return input.value.trim(); }), mine = ++turn;
    clearTimeout(timer);
    if (!texts.every(Boolean)) {
      note.textContent = "Type something first.";
      return;
    }
    try {
      if (!ready) note.textContent = "Loading the model …";
      var model = await live.load(name, function (share) {
        bar.hidden = share === 1;
        bar.value = share;
      });
      if (!ready) note.textContent = "The model is ready.";
      ready = true;
      var says = await answer(one ? texts[0] : texts, live, function () { return mine === turn; });
      if (mine !== turn) return; // another letter was typed meanwhile
      view.picture.classList.remove("tl-stale");
      var long = texts.join("").length > 300; // its picture may be taller than a screen
      view.picture.classList.toggle("tl-long", long);
      long ? view.picture.tabIndex = 0 : view.picture.removeAttribute("tabindex");
      note.textContent = [says, rounding(model)].filter(Boolean).join(" ");
      if (labels[0][2]) live.sentence(name, texts[0]);
      answered = texts;
      address();
      link.hidden = false;
    } catch (error) {
      bar.hidden = true;
      if (mine !== turn) return;
      note.textContent = error.message;
      view.picture.classList.add("tl-stale"); // the picture belongs to another text
      link.hidden = true;
    }
  }

  return function (texts) {
    inputs.forEach(function (input, i) { input.value = texts[i]; });
    return show();
  };
};

function rounding(model) {
  return model.least_cosine === null ? "" : "This page computes with 8-bit weights. In " + model.texts + " test texts, its last vectors had a cosine of at least " +
    (Math.floor(model.least_cosine * 1e4) / 1e4).toFixed(4) + " with Python\u2019s.";
}

TL.cut = function (trace) {
  return trace.cut ? "Your text is long: its last " + trace.cut + " tokens are left out." : "";
};

TL.cosine = function (x, y) {
  var product = 0, xx = 0, yy = 0;
  for (var k = 0; k < x.length; k++) {
    product += x[k] * y[k];
    xx += x[k] * x[k];
    yy += y[k] * y[k];
  }
  return product / Math.sqrt(xx * yy);
};
