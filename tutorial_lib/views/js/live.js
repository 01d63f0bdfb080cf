// The reader's own text in a view, where the page brings the model (see views/live). Elsewhere, as in a notebook,
// nothing is added: Python runs there. answer(text, live, current): a promise; it shows the text, if current() says that no
// other was typed meanwhile, and may give a note on it.
TL.live = function (view, label, answer, name) {
  var live = window.tutorialLib, size = /^book/.test(name) ? "2 MB" : "32 MB";
  if (!live) return;
  var linked = new URLSearchParams(location.hash.slice(1)).get("text");
  var turn = 0, timer = null, ready = false;
  var box = TL.el("input", { type: "text", maxlength: 1000, autocomplete: "off", placeholder: "Type a sentence of yours" });
  var button = TL.el("button", { type: "submit" }, "Show");
  var note = TL.el("span", { role: "status" }), link = TL.el("a", { hidden: "" }, "Link to this");
  var form = TL.el("form", { "class": "tl-live" }, [TL.el("label", {}, [label + " ", box]), button, TL.el("small", {}, [note, " ", link])]);
  box.value = linked || live.sentence(name) || "";
  note.textContent = live.wanted(name) ? "" : "The first time, this loads the model: " + size + ", from the book itself.";
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    show();
  });
  box.addEventListener("input", function () { // typing asks by itself, once the model is there or was there on another page
    clearTimeout(timer);
    if (ready || live.wanted(name)) timer = setTimeout(show, 250);
  });
  view.root.insertBefore(form, view.controls);

  async function show() {
    var text = box.value.trim(), mine = ++turn;
    clearTimeout(timer);
    if (!text) return;
    try {
      if (!ready) note.textContent = "Loading the model …";
      var model = await live.load(name);
      if (!ready) note.textContent = "The model is ready.";
      ready = true;
      var says = await answer(text, live, function () { return mine === turn; });
      if (mine !== turn) return; // another letter was typed meanwhile
      note.textContent = [says, rounding(model)].filter(Boolean).join(" ");
      live.sentence(name, text);
      link.href = "#" + new URLSearchParams({ text: text });
      link.hidden = false;
    } catch (error) {
      note.textContent = error.message;
    }
  }
};

function rounding(model) {
  return model.least_cosine === null ? "" : "Computed in this page, with weights of 8 bits: on " + model.texts + " texts of the book, a last vector\u2019s cosine to Python\u2019s is at least " +
    (Math.floor(model.least_cosine * 1e4) / 1e4).toFixed(4) + ".";
}

TL.cut = function (trace) {
  return trace.cut ? "Your text is long: its last " + trace.cut + " tokens are left out." : "";
};

// The place of the longest token that is a word's.
TL.longest = function (tokens) {
  var lengths = tokens.map(function (token) { return /^\[/.test(token) ? 0 : token.length; });
  return lengths.indexOf(Math.max.apply(null, lengths));
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
