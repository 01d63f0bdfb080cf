// The database's answers to every question and every text, worked out beforehand. Nothing is computed here: a text
// that the reader types only looks for texts of the collection that hold its letters.
function draw(view) {
  var data = view.data, n = data.questions.length, shown = 12, kind = data.kind;
  var select = TL.select(view, kind === "text" ? "Question" : "First " + kind + "s", data.questions, 0, function () { ask(+select.value); });
  var box = TL.el("input", { type: "search", autocomplete: "off" });
  box.addEventListener("input", look);
  view.controls.append(TL.el("label", {}, ["or find a " + kind + " with ", box]));
  var asked = view.picture.querySelector(".tl-asked"), hits = view.picture.querySelector(".tl-hits");
  var texts = TL.el("ul", { class: "tl-matches" });
  view.picture.prepend(texts);
  texts.hidden = true;
  ask(0);

  function look() {
    var word = box.value.trim().toLowerCase(), matches = [];
    if (word)
      data.texts.forEach(function (text, i) { if (text.toLowerCase().includes(word)) matches.push(i); });
    texts.hidden = !word;
    asked.hidden = hits.hidden = !!word; // they answer another question
    texts.replaceChildren.apply(texts, matches.slice(0, shown).map(function (i) {
      return TL.el("li", {}, button(data.texts[i], i));
    }));
    if (matches.length > shown) texts.append(TL.el("li", {}, "and " + (matches.length - shown) + " more"));
    if (word && !matches.length) texts.append(TL.el("li", {}, "No " + kind + " holds these letters."));
    if (word) view.say(matches.length + (" " + kind + (matches.length === 1 ? " holds" : "s hold")) + " these letters.");
  }

  function button(text, i) {
    var element = TL.el("button", { type: "button" }, text);
    element.addEventListener("click", function () {
      box.value = "";
      look();
      ask(n + i);
      view.picture.querySelector(".tl-asked").focus();
    });
    return element;
  }

  function ask(number) {
    var question = number < n, text = question ? data.questions[number] : data.texts[number - n];
    var answers = question ? data.answers[number] : [];
    if (question) select.value = number;
    asked.replaceChildren(TL.el("b", {}, text), question ? "" : " — nearest to this " + kind + ":");
    asked.tabIndex = -1;
    hits.replaceChildren.apply(hits, data.found[number].map(function (hit) {
      var head = [TL.el("span", { class: "tl-cosine" }, (hit[1] / 10000).toFixed(2)), " ",
        TL.el("span", { class: "tl-tag" }, data.tags[hit[0]])];
      if (answers.includes(hit[0])) head.push(" ", TL.el("span", { class: "tl-right" }, "✓ answers it"));
      return TL.el("li", {}, [TL.el("div", { class: "tl-head" }, head),
        TL.el("span", { class: "tl-bar", style: "width:" + (Math.max(hit[1], 0) / 100).toFixed(1) + "%" }),
        button(data.texts[hit[0]], hit[0])]);
    }));
    var first = data.found[number][0], right = first && answers.includes(first[0]);
    view.say(!first ? "There is no other " + kind + "." : data.texts.length + " " + kind + "s compared: the nearest has cosine " +
      (first[1] / 10000).toFixed(2) +
      (!answers.length ? "" : right ? " and answers the question" : " and does not answer the question") + ".");
  }
}
