// Guesses that come back after a day, a week and a month. A guess that is made on its page gets one entry beside what
// guess.js keeps: how many times in a row it was right when it came back, and the day when it was last asked. Every page
// says how many are due; the page "Guesses that come back" asks them, from cards that a script of the build holds.
(function () {
  var STEPS = [1, 7, 30];  // days; after the last, a guess rests
  var SAYS = ["tomorrow", "in a week", "in a month"];
  var AGAIN = guesses.AGAIN, el = guesses.el, button = guesses.button;
  var folder = document.currentScript.src.replace(/again\.js.*$/, ""), address = folder + "../book/again.html";
  var DAMAGED = "Nothing was changed: this is not a file of guesses.";

  // Days are those of the reader's own calendar: "2026-11-27".
  function iso(date) {
    return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(function (part) {
      return String(part).padStart(2, "0");
    }).join("-");
  }

  function later(day, days) {
    var parts = day.split("-").map(Number);
    return iso(new Date(parts[0], parts[1] - 1, parts[2] + days));
  }

  function today() { return iso(new Date()); }

  function inWords(day) {
    var parts = day.split("-").map(Number);
    var date = new Date(parts[0], parts[1] - 1, parts[2]);
    return date.toLocaleDateString("en-US", { weekday: "long", day: "numeric", month: "long" });
  }

  function many(number, one, more) { return number + " " + (number === 1 ? one : more || one + "s"); }

  // Whether this can be an entry; anything may stand in a file.
  function isEntry(entry) {
    return !!entry && Number.isInteger(entry.step) && entry.step >= 0 && entry.step <= STEPS.length &&
      typeof entry.asked === "string" && /^[12]\d{3}-\d\d-\d\d$/.test(entry.asked) && later(entry.asked, 0) === entry.asked;
  }

  // When a guess comes back. A day that is yet to come cannot be right, the clock was wrong: it is asked at once.
  function due(entry) {
    if (entry.step === STEPS.length) return null;
    return entry.asked > today() ? today() : later(entry.asked, STEPS[entry.step]);
  }

  function isDue(entry) { return entry.step < STEPS.length && due(entry) <= today(); }

  function read(guess) {
    try {
      var entry = JSON.parse(localStorage.getItem(AGAIN + guess));
      return isEntry(entry) ? { guess: guess, step: entry.step, asked: entry.asked } : null;
    } catch (error) { return null; }
  }

  function all() {
    var names = [];
    try { names = Object.keys(localStorage); } catch (error) { /* nothing is kept */ }
    return names.filter(function (name) { return name.startsWith(AGAIN); }).map(function (name) {
      return read(name.slice(AGAIN.length));
    }).filter(Boolean);
  }

  // Whether the browser took it: its storage may be closed or full.
  function write(guess, step, asked) {
    try {
      localStorage.setItem(AGAIN + guess, JSON.stringify({ step: step, asked: asked }));
      return true;
    } catch (error) { return false; }
  }

  function erase(guess) {
    try { localStorage.removeItem(AGAIN + guess); } catch (error) { /* nothing was kept */ }
  }

  // On a guess's own page: it comes back from tomorrow on, and its box says when.
  function tell(box) {
    var entry = read(guesses.page + "/" + box.dataset.guess), line = box.querySelector(".guess-again");
    if (line) line.remove();
    if (!entry) return;
    var day = due(entry), link = el("a", { href: address }, day === null ? "It has come back three times, and rests" :
      day <= today() ? "It comes back today" : "It comes back on " + inWords(day));
    box.append(el("p", { "class": "guess-again" }, [link, "."]));
  }

  function boxes() { return [].slice.call(document.querySelectorAll(".guess[data-again]")); }

  document.addEventListener("guessed", function (event) {
    var box = event.target, guess = guesses.page + "/" + box.dataset.guess;
    if (box.dataset.again === undefined) return;
    if (!read(guess) && !write(guess, 0, today()))
      box.append(el("p", { "class": "guess-again" }, "Your browser keeps nothing, so this question cannot come back."));
    else tell(box);
  });

  // A small mark at the top of each page, and a line on the front page. Where nothing is due, there is neither.
  function mark() {
    document.querySelectorAll(".again-mark, .again-line").forEach(function (old) { old.remove(); });
    var number = all().filter(isDue).length, top = document.querySelector(".article-header-buttons");
    if (!number || document.querySelector(".again")) return;
    var says = many(number, "guess comes back today", "guesses come back today");
    var given = { "class": "btn btn-sm switch again-mark", href: address, title: says, "aria-label": says };
    if (top) top.prepend(el("a", given, "\u21ba " + number));
    var hero = document.querySelector(".hero.front");
    if (hero) hero.after(el("p", { "class": "again-line" }, [el("a", { href: address }, says), ", about ten seconds each."]));
  }

  boxes().forEach(tell);
  mark();
  addEventListener("forgotten", function () { boxes().forEach(tell); mark(); });

  var place = document.querySelector(".again");
  if (!place) return;

  // The page that asks: how many are due, one question at a time, and below it what there is to keep, carry and erase.
  var stage = el("div"), said = el("p", { role: "status", "class": "again-said" }), keep = el("div", { "class": "again-keep" });

  // The cards come with a script, and only when they are needed: a page from a file cannot fetch.
  function withCards(then) {
    if (window.BOOK_CARDS) return then(BOOK_CARDS);
    var script = el("script", { src: folder + "cards.js" });
    script.onload = function () { then(BOOK_CARDS); };
    script.onerror = function () { said.textContent = "The cards did not load. Load this page again."; };
    document.head.append(script);
  }

  function nameOf(card) { return card.page + "/" + card.name; }

  function boxOf(card) {
    var given = { "class": "guess", id: "guess-" + card.name, "data-guess": card.name, "data-kind": card.kind,
      "data-truth": JSON.stringify(card.truth) };
    for (var name in card.given) given["data-" + name] = card.given[name];
    var told = card.kind !== "order" ? card.told : el("ol", {}, card.truth.map(function (item) { return el("li", {}, item); }));
    return el("div", given, [
      el("p", { "class": "guess-title" }, card.title),
      el("div", { "class": "guess-question" }, el("p", {}, card.question)),
      card.kind === "number" ? el("p", { "class": "guess-blank" }) :
        el("ul", { "class": "guess-items" }, card.items.map(function (item) { return el("li", { "data-item": item }, item); })),
      el("p", { "class": "guess-hint" }, card.hint),
      el("div", { "class": "guess-answer" }, [
        el("div", { "class": "guess-truth" }, told), el("p", { "class": "guess-because" }, card.because),
      ]),
    ]);
  }

  function ask(queue, number) {
    var card = queue[number], box = boxOf(card), made = null, last = number + 1 === queue.length;
    stage.replaceChildren(el("p", { "class": "again-count" }, (number + 1) + " of " + queue.length),
      el("div", { "class": "guess-block" }, box));
    guesses.start(box, {
      get: function () { return made; },
      set: function (name, entry) { made = entry; },
    });
    box.clear();
    box.addEventListener("guessed", function () {
      var step = box.state === "right" ? read(nameOf(card)).step + 1 : 0;
      var kept = write(nameOf(card), step, today());
      var comes = step === STEPS.length ? "Three times right: it rests now." : "It comes back " + SAYS[step] + ".";
      var next = button(last ? "Done" : "Next", function () {
        if (last) done().focus();
        else ask(queue, number + 1);
      }, { "class": "guess-commit" });
      box.append(el("p", { "class": "guess-again" }, [
        kept ? comes : "Your browser could not keep this: its storage is full or closed. The question stays due.",
        " ", el("a", { href: folder + "../book/" + card.page + ".html#guess-" + card.name }, "See it in its chapter"), ".",
      ]), el("p", { "class": "guess-buttons" }, next));
      next.focus();
      list();
    });
    if (number) box.querySelector("input, button").focus();
  }

  // What comes next, or how it begins.
  function done() {
    var days = all().map(due).filter(Boolean).sort(), next = days[0];
    var same = days.filter(function (day) { return day === next; }).length, text;
    if (!days.length) text = "Nothing waits here yet. Guess at something in a chapter, and it comes back tomorrow.";
    else if (next <= today()) text = "Questions whose answers could not be kept come back when you open this page again.";
    else text = "Nothing is due today. The next " + (same === 1 ? "one comes" : same + " come") + " back on " + inWords(next) + ".";
    stage.replaceChildren(el("p", { tabindex: "-1", "class": "again-count" }, text));
    list();
    return stage.firstChild;
  }

  function begin() {
    var waiting = all().filter(isDue);
    if (!waiting.length) return done();
    withCards(function (cards) {
      var names = waiting.map(function (entry) { return entry.guess; }), known = cards.map(nameOf);
      var queue = cards.filter(function (card) { return names.includes(nameOf(card)); });
      names.filter(function (name) { return !known.includes(name); }).forEach(erase);  // the book asks them no more
      queue.sort(function (a, b) { return a.name < b.name ? -1 : 1; });  // not chapter by chapter
      if (queue.length) ask(queue, 0); else done();
    });
  }

  // Give the reader a file.
  function save(name, type, text) {
    var link = el("a", { href: URL.createObjectURL(new Blob([text], { type: type })), download: name });
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }

  function saveAll() {
    var kept = {};
    all().forEach(function (entry) { kept[entry.guess] = { step: entry.step, asked: entry.asked }; });
    save("guesses.json", "application/json", JSON.stringify({ guesses: kept }, null, 1));
  }

  // Anki's text format: one card a line, its fields between tabs, in HTML. The first field tells Anki which card it is.
  function saveDeck(cards) {
    var SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "<br>", "\t": " " };
    function field(text) { return text.replace(/[&<>"\n\t]/g, function (sign) { return SIGNS[sign]; }); }
    var lines = cards.map(function (card) {
      var front = [card.question].concat(card.items.map(function (item) { return "\u2022 " + item; }), card.hint || []);
      var back = card.told + "\n" + card.because;
      return ["transformers/" + nameOf(card), front.join("\n"), back, "transformers " + card.page].map(field).join("\t");
    });
    save("guesses-for-anki.txt", "text/plain", ["#separator:tab", "#html:true", "#guid column:1", "#tags column:4",
      "#deck:Transformers from scratch"].concat(lines).join("\n") + "\n");
  }

  // What another browser saved. Each entry is read for itself; of two for one guess, the one that was asked later stays.
  function takeIn(text) {
    var found = null;
    try { found = JSON.parse(text).guesses; } catch (error) { /* see below */ }
    if (!found || typeof found !== "object" || Array.isArray(found)) { said.textContent = DAMAGED; return; }
    withCards(function (cards) {
      var known = cards.map(nameOf), names = Object.keys(found), taken = 0, here = 0, full = 0;
      var good = names.filter(function (name) { return known.includes(name) && isEntry(found[name]); });
      good.forEach(function (name) {
        var mine = read(name), asked = found[name].asked < today() ? found[name].asked : today();
        if (mine && mine.asked >= asked) here += 1;
        else if (write(name, found[name].step, asked)) taken += 1;
        else full += 1;
      });
      var bad = names.length - good.length;
      begin();
      said.textContent = ["Imported: " + many(taken, "guess", "guesses") + ".", here && many(here, "was", "were") + " already here.",
        bad && many(bad, "entry was", "entries were") + " left out: damaged, or not from this book.",
        full && full + " could not be kept: your browser's storage is full or closed.",
      ].filter(Boolean).join(" ");
    });
  }

  function list() {
    var entries = all(), file = el("input", { type: "file", accept: ".json,application/json" });
    var counts = STEPS.concat(0).map(function (days, step) {
      return entries.filter(function (entry) { return entry.step === step; }).length;
    });
    var parts = ["after a day", "after a week", "after a month", "at rest"].map(function (text, step) {
      return counts[step] && counts[step] + " " + text;
    }).filter(Boolean).join(", ");
    file.addEventListener("change", function () {
      if (file.files[0].size > 1e6) said.textContent = DAMAGED;
      else file.files[0].text().then(takeIn);
      file.value = "";
    });
    function mine(cards) { saveDeck(cards.filter(function (card) { return read(nameOf(card)); })); }
    keep.replaceChildren(
      el("p", {}, entries.length ? "Your browser keeps " + many(entries.length, "guess", "guesses") + ": " + parts + "." : "Your browser keeps none of your guesses yet."),
      el("p", { "class": "guess-buttons" }, entries.length ? [
        button("Save them as a file", saveAll), button("Cards for Anki", function () { withCards(mine); }),
        button("Erase them", function () {
          entries.forEach(function (entry) { erase(entry.guess); });
          begin();
          said.textContent = "Erased. Your guesses on the pages stay as they are.";
        }),
      ] : []),
      el("p", { "class": "guess-buttons" }, button("Cards for Anki, of the whole book", function () { withCards(saveDeck); })),
      el("p", {}, el("label", {}, ["Import a file that another browser saved: ", file])));
  }

  var closed = false;
  try {
    localStorage.setItem(AGAIN, "");
    localStorage.removeItem(AGAIN);
  } catch (error) { closed = true; }
  place.replaceChildren(stage, said, keep);
  list();
  begin();
  if (closed)
    said.textContent = "Your browser keeps nothing more for these pages: its storage is full or closed. New guesses cannot come back.";
})();
