// Type a text and see WordPiece cut it. The rules are those of tutorial_lib/tokenization, in the same order.
function draw(view) {
  var data = view.data;
  var state = { text: data.text, words: data.words, chosen: 0 };
  var typed = TL.el("p", { class: "tl-typed" });
  var list = TL.el("ol", { class: "tl-words" });
  var tries = TL.el("div", { class: "tl-tries" });
  view.picture.replaceChildren(typed, list, tries);
  choose(mostPieces(state.words));
  if (!view.still) controls();

  function controls() {
    var box = TL.el("textarea", { rows: 2, maxlength: 2000, spellcheck: "false", autocapitalize: "off" });
    var wordPiece = null; // there as soon as the vocabulary is inflated
    box.value = data.text;
    box.readOnly = true;
    TL.inflate(data.vocabulary).then(function (text) {
      wordPiece = WordPiece(data, text.split("\n"));
      box.readOnly = false;
      TL.linked(view, function (link) {
        box.value = link.get("text") || box.value;
        box.dispatchEvent(new Event("input"));
      });
    });
    box.addEventListener("input", function () {
      state.text = box.value;
      state.words = wordPiece(box.value);
      choose(mostPieces(state.words));
    });
    view.controls.append(TL.el("label", { class: "tl-box" }, ["Your text ", box]));
  }

  function choose(index) {
    state.chosen = index;
    typed.textContent = state.text;
    list.replaceChildren.apply(list, state.words.map(chips));
    showTries();
    view.say(summary(state.text, state.words));
  }

  function chips(word, index) {
    var pieces = word.tokens.map(function (token, i) {
      return TL.el("span", { class: "tl-piece" }, [TL.el("b", {}, token), " ", TL.el("small", {}, String(word.ids[i]))]);
    });
    if (view.still) return TL.el("li", {}, TL.el("span", { class: "tl-word" }, pieces));
    var button = TL.el("button", { type: "button", class: "tl-word", "aria-pressed": index === state.chosen }, pieces);
    button.addEventListener("click", function () {
      list.querySelector('[aria-pressed="true"]').setAttribute("aria-pressed", "false");
      button.setAttribute("aria-pressed", "true");
      state.chosen = index;
      showTries();
      view.say(word.word + ": " + word.tokens.join(" "));
    });
    return TL.el("li", {}, button);
  }

  function showTries() {
    var word = state.words[state.chosen];
    tries.replaceChildren.apply(tries, word ? howCut(word, data.longestPiece) : []);
  }
}

function mostPieces(words) {
  return words.reduce(function (best, word, i) { return word.tokens.length > words[best].tokens.length ? i : best; }, 0);
}

// At each place the longest piece is tried first, and the first that is known is taken.
function howCut(word, longest) {
  var letters = Array.from(word.word), start = 0, rounds = TL.el("ol", {});
  (word.kind === "unknown" ? word.ends.concat(null) : word.ends).forEach(function (stop, i) {
    var round = TL.el("li", {}), prefix = start ? "##" : "", last = stop === null ? start : stop;
    for (var end = Math.min(letters.length, start + longest); end > last; end--)
      round.append(TL.el("s", {}, prefix + letters.slice(start, end).join("")), " ");
    round.append(TL.el("b", {}, stop === null ? "nothing matches" : "✓ " + prefix + letters.slice(start, stop).join("")));
    if (word.kind === "pieces") round.append(" ", TL.el("small", {}, String(word.ids[i])));
    rounds.append(round);
    start = last;
  });
  var title = TL.el("p", {}, [TL.el("b", {}, word.word), ": " + reason(word)]);
  return word.ends.length || word.kind === "unknown" ? [title, rounds] : [title];
}

function reason(word) {
  if (word.kind === "special") return "a special token, kept unchanged.";
  if (word.kind === "long") return "too long to be cut: the whole word is unknown.";
  if (word.kind === "unknown") return "no pieces make it up, so the whole word is unknown.";
  return "at each place the longest piece is tried first; the first one in the vocabulary is taken.";
}

function summary(text, words) {
  function count(n, what) { return n + " " + what + (n === 1 ? "" : "s"); }
  var n = words.reduce(function (sum, word) { return sum + word.tokens.length; }, 0);
  var cut = words.filter(function (word) { return word.tokens.length > 1; }).length;
  return count(n, "token") + " from " + count(Array.from(text).length, "character") + ", " + (n + 2) +
    " with [CLS] and [SEP]; " + cut + " of " + count(words.length, "word") + (cut === 1 ? " is" : " are") +
    " in more than one piece.";
}
