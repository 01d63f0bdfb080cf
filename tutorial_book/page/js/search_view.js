// The database's answers to every question and every text, computed beforehand; and if the page loads the model,
// the answers to the reader's own question, among the same texts or in a file of the reader's.
function draw(view) {
  var data = view.data, n = data.questions.length, shown = 12, own = null, reading = 0;
  var select = null, box = null, told = null, back = null, asked = TL.el("p", { class: "tl-asked" }), hits = TL.el("ol", { class: "tl-hits" });
  var texts = TL.el("ul", { class: "tl-matches", hidden: "" }), matching = view.still ? [] : [texts];
  view.picture.replaceChildren.apply(view.picture, matching.concat(asked, hits));
  ask(0);
  if (!view.still) controls();

  function controls() {
    select = TL.select(view, "Question", data.questions, 0, function () { ask(+select.value); });
    box = TL.el("input", { type: "search", autocomplete: "off" });
    box.addEventListener("input", look);
    view.controls.append(TL.el("label", {}, ["or find a text with ", box]));
    asked.tabIndex = -1;
    if (data.live && TL.live(view, [["Your question", "", false]], answer, data.live)) files();
  }

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
    if (word && !matches.length) texts.append(TL.el("li", {}, "No text contains these letters."));
    if (word) view.say(matches.length + (matches.length === 1 ? " text contains" : " texts contain") + " these letters.");
  }

  function button(text, i) {
    var element = TL.el("button", { type: "button" }, text);
    element.addEventListener("click", function () {
      box.value = "";
      look();
      ask(n + i);
      asked.focus();
    });
    return element;
  }

  function ask(number) {
    var question = number < n, text = question ? data.questions[number] : data.texts[number - n];
    var answers = question ? data.answers[number] : [];
    if (question && select) select.value = number;
    asked.replaceChildren(TL.el("b", {}, text), question ? "" : " — nearest to this text:");
    hits.replaceChildren.apply(hits, data.found[number].map(function ([i, cosine]) {
      var text = view.still ? TL.el("div", {}, data.texts[i]) : button(data.texts[i], i);
      return hit(cosine / 10000, data.tags[i], answers.includes(i), text);
    }));
    var first = data.found[number][0], right = first && answers.includes(first[0]);
    view.say(!first ? "There is no other text." : data.texts.length + " texts compared: the nearest has cosine " +
      (first[1] / 10000).toFixed(2) +
      (!answers.length ? "" : right ? " and answers the question" : " and does not answer the question") + ".");
  }

  function hit(cosine, tag, right, text) {
    var head = [TL.el("span", { class: "tl-cosine" }, cosine.toFixed(2)), " ", TL.el("span", { class: "tl-tag" }, tag)];
    if (right) head.push(" ", TL.el("span", { class: "tl-right" }, "✓ answers it"));
    var bar = TL.el("span", { class: "tl-bar", style: "width:" + (100 * Math.max(cosine, 0)).toFixed(1) + "%" });
    return TL.el("li", {}, [TL.el("div", { class: "tl-head" }, head), bar, text]);
  }

  // What the reader asks, among the texts shown or the passages of a file.
  async function answer(texts, live, current) {
    var found = own ? await among(own.passages, own.vectors, texts[0], live) : await inBook(texts[0], live);
    if (!current()) return "";
    box.value = "";
    look();
    select.selectedIndex = -1; // none of these is asked
    asked.replaceChildren(TL.el("b", {}, texts[0]), own ? " \u2014 in " + own.name + ":" : "");
    hits.replaceChildren.apply(hits, found.slice(0, data.k).map(function (one) { return hit(one[1], one[2], false, TL.el("div", {}, one[0])); }));
    view.say(found.length + " texts compared: the nearest has cosine " + found[0][1].toFixed(2) + ".");
    return "";
  }

  async function inBook(question, live) {
    var tags = new Map(data.texts.map(function (text, i) { return [text, data.tags[i]]; }));
    var found = await live.nearest(question, Infinity, { model: data.live });
    return found.texts.filter(function (hit) { return tags.has(hit[0]); }).map(function (hit) { return [hit[0], hit[1], tags.get(hit[0])]; });
  }

  async function among(passages, vectors, question, live) {
    var vector = (await live.nearest(question, 0, { model: data.live })).vector;
    var hits = passages.map(function (text, i) { return [text, TL.cosine(vector, vectors[i]), "passage " + (i + 1)]; });
    return hits.sort(function (a, b) { return b[1] - a[1]; });
  }

  // A text file, cut into passages; it is read in the page and sent nowhere. Another file ends the reading of this one.
  async function read(file) {
    var live = window.tutorialLib, mine = ++reading, vectors = [];
    told.textContent = "Loading the model \u2026";
    try {
      var text = await file.text(), all = cut(text), passages = all.slice(0, MOST);
      if (text.includes("\0")) throw new Error(file.name + " is not a text file.");
      if (!passages.length) throw new Error("There is no text in " + file.name + ".");
      for (var i = 0; i < passages.length; i++) {
        vectors.push((await live.nearest(passages[i], 0, { model: data.live })).vector);
        if (mine !== reading) return;
        if (i % 20 === 0) told.textContent = "Reading " + file.name + ": passage " + (i + 1) + " of " + passages.length + ".";
      }
    } catch (error) {
      if (mine === reading) told.textContent = error.message;
      return;
    }
    own = { name: file.name, passages: passages, vectors: vectors };
    back.hidden = false;
    told.textContent = file.name + " was read in this page and sent nowhere: " + passages.length + " passages" +
      (all.length > MOST ? " of " + all.length + ", the first ones" : "") + ". Now ask.";
  }

  // Controls for a file of the reader's own.
  function files() {
    var file = TL.el("input", { type: "file", accept: ".txt,.md,text/plain" });
    told = TL.el("small", { role: "status" });
    back = TL.el("button", { type: "button", hidden: "" }, "Search the book\u2019s texts again");
    back.addEventListener("click", function () {
      reading++;
      own = null;
      file.value = told.textContent = "";
      back.hidden = true;
    });
    file.addEventListener("click", function () { file.value = ""; }); // the same file may be chosen again
    file.addEventListener("change", function () { if (file.files[0]) read(file.files[0]); });
    view.root.addEventListener("dragover", function (event) { event.preventDefault(); });
    view.root.addEventListener("drop", function (event) {
      event.preventDefault();
      if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
    });
    view.root.querySelector(".tl-live").append(TL.el("label", { class: "tl-file" }, ["or search your own text file ", file]), back, told);
  }
}

var WORDS = 60, MOST = 400; // of a passage; passages of a file, a few seconds of work

// Sentences together, up to so many words; a paragraph's end ends a passage. A sentence that is longer is cut.
function cut(text) {
  var passages = [];
  text.split(/\n\s*\n/).forEach(function (paragraph) {
    var passage = "";
    var sentences = paragraph.replace(/\s+/g, " ").trim().match(/[^.!?]+[.!?]*\s*/g) || [];
    var long = new RegExp("(?:\\S+\\s*){1," + WORDS + "}", "g");
    sentences.flatMap(function (sentence) { return sentence.match(long) || []; }).forEach(function (sentence) {
      if (passage && (passage + sentence).split(" ").length > WORDS) {
        passages.push(passage.trim());
        passage = "";
      }
      passage += sentence;
    });
    if (passage.trim()) passages.push(passage.trim());
  });
  return passages;
}
