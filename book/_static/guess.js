// Guesses: controls to commit to one, then the guess beside the answer, and the tally at the end of the chapter.
// What was guessed is kept in this browser only, one entry a guess. Without this script, the page has the questions,
// and the answers in folds.
(function () {
  var PREFIX = "guess:", page = location.pathname.split("/").pop().replace(/\.html$/, "");
  var unsaved = {};  // where the browser keeps nothing for this page, guesses last as long as the page

  function key(name) { return PREFIX + page + "/" + name; }

  function stored(name) {
    var kept = null;
    try { kept = JSON.parse(localStorage.getItem(key(name))); } catch (error) { /* see `unsaved` */ }
    return kept || unsaved[key(name)];
  }

  function store(name, entry) {
    unsaved[key(name)] = entry;
    try { localStorage.setItem(key(name), JSON.stringify(entry)); } catch (error) { /* see `unsaved` */ }
  }

  function forget(chosen) {
    Object.keys(unsaved).filter(chosen).forEach(function (entry) { delete unsaved[entry]; });
    try {
      Object.keys(localStorage).filter(chosen).forEach(function (entry) { localStorage.removeItem(entry); });
    } catch (error) { /* nothing was kept */ }
  }

  function el(tag, attributes, children) {
    var element = document.createElement(tag);
    for (var name in attributes) element.setAttribute(name, attributes[name]);
    element.append.apply(element, [].concat(children || []));
    return element;
  }

  function button(text, pressed, attributes) {
    var made = el("button", Object.assign({ type: "button" }, attributes), text);
    made.addEventListener("click", pressed);
    return made;
  }

  // What a kind of guess needs: its controls, the guess they hold (null: none yet), whether a guess is right, and how
  // it is read: `words` to a screen reader, `parts` beside the answer.
  var KINDS = {
    choice: function (box) {
      var list = box.querySelector(".guess-items"), inputs = items(list).map(function (item) {
        var input = el("input", { type: "radio", name: box.id, value: item.dataset.item });
        item.replaceChildren(el("label", {}, [input, el("span", {}, [].slice.call(item.childNodes))]));
        return input;
      });
      return {
        read: function () {
          var checked = inputs.find(function (input) { return input.checked; });
          return checked ? checked.value : null;
        },
        write: function (guess) { inputs.forEach(function (input) { input.checked = input.value === guess; }); },
        valid: function (guess) { return inputs.some(function (input) { return input.value === guess; }); },
        missing: "Choose one of the answers first.",
        right: function (guess, truth) { return guess === truth; },
        words: function (guess) { return guess; },
        parts: function (guess) { return shown(list, guess); },
      };
    },

    number: function (box) {
      var unit = box.dataset.unit, hint = box.querySelector(".guess-hint");
      hint.id = box.id + "-hint";
      var input = el("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 8,
        "aria-describedby": hint.id });
      box.querySelector(".guess-blank").replaceChildren(el("label", {}, ["Your guess: ", input, " " + unit]));
      return {
        read: function () {
          var text = input.value.trim().replace(/[\s,]/g, "").replace(/%$/, "").replace("\u2212", "-");
          return text && isFinite(text) ? Number(text) : null;
        },
        write: function (guess) { input.value = guess === null ? "" : guess; },
        valid: function (guess) { return typeof guess === "number"; },
        missing: "Write a number first, such as 12.5.",
        right: function (guess, truth) {
          var given = box.dataset;
          if (given.units) return Math.abs(guess - truth) <= Number(given.units);
          if (given.share) return Math.abs(guess - truth) <= Math.abs(truth) * Number(given.share) / 100 + 1e-12;
          var ratio = guess / truth, factor = Number(given.factor);
          return guess === truth || ratio <= factor && ratio >= 1 / factor;
        },
        words: function (guess) {
          var space = /^[%°]|^$/.test(unit) ? "" : " ";
          return guess.toLocaleString("en-US", { maximumSignificantDigits: 6 }) + space + unit;
        },
        parts: function (guess) { return [this.words(guess)]; },
      };
    },

    order: function (box) {
      var list = el("ol", { class: "guess-items" }), bullets = box.querySelector(".guess-items");
      list.append.apply(list, [].slice.call(bullets.children));
      bullets.replaceWith(list);
      var first = items(list);

      function move(item, step, control) {
        var all = items(list), place = all.indexOf(item) + step;
        if (place < 0 || place >= all.length) return;
        if (step < 0) all[place].before(item); else all[place].after(item);
        control.focus();  // it was moved with its item
        box.tell(item.dataset.item + ": now " + (place + 1) + " of " + all.length + ".");
      }

      first.forEach(function (item) {
        var content = el("span", {}, [].slice.call(item.childNodes)), text = item.dataset.item;
        var up = button("\u2191", function () { move(item, -1, up); }, { "aria-label": "Move up: " + text });
        var down = button("\u2193", function () { move(item, 1, down); }, { "aria-label": "Move down: " + text });
        item.append(up, down, content);
        item.addEventListener("keydown", function (event) {
          var step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
          if (!step) return;
          event.preventDefault();
          move(item, step, event.target);
        });
      });
      return {
        read: function () { return items(list).map(function (item) { return item.dataset.item; }); },
        write: function (guess) {
          var order = guess || first.map(function (item) { return item.dataset.item; });
          order.forEach(function (text) { list.append(find(list, text)); });
        },
        valid: function (guess) {
          return Array.isArray(guess) && guess.length === first.length && first.every(function (item) {
            return guess.includes(item.dataset.item);
          });
        },
        right: function (guess, truth) { return guess.join("\n") === truth.join("\n"); },
        words: function (guess) { return guess.join(", "); },
        parts: function (guess, truth) {
          return [el("ol", {}, guess.map(function (text, place) {
            return el("li", text === truth[place] ? {} : { class: "guess-misplaced" }, shown(list, text));
          }))];
        },
      };
    },
  };

  function items(list) { return [].slice.call(list.children); }

  function find(list, text) { return items(list).find(function (item) { return item.dataset.item === text; }); }

  // The content of an item, formulas included, without its controls.
  function shown(list, text) {
    return [].slice.call(find(list, text).querySelector("span").cloneNode(true).childNodes);
  }

  function start(box) {
    var name = box.dataset.guess, truth = JSON.parse(box.dataset.truth), answer = box.querySelector(".guess-answer");
    var live = el("p", { class: "guess-message", role: "status" });
    box.tell = function (text) { live.textContent = text; };
    var kind = KINDS[box.dataset.kind](box);

    // The question is the group's legend: its last paragraph; what stands above it is context.
    var question = box.querySelector(".guess-question"), asked = question.lastElementChild;
    var legend = el("legend"), fieldset = el("fieldset");
    if (asked.tagName === "P") {
      legend.append.apply(legend, [].slice.call(asked.childNodes));
      asked.remove();
    } else {
      legend.append("Your guess");
    }
    fieldset.append(legend);
    while (question.nextElementSibling !== answer) fieldset.append(question.nextElementSibling);

    // Guess and answer side by side, once both may be seen.
    var yours = el("div", { class: "guess-side" }), result = el("div", { class: "guess-result", hidden: "" }, [
      el("div", { class: "guess-sides" }, [
        yours, el("div", { class: "guess-side" }, [el("p", { class: "guess-head" }, "The answer"),
          answer.querySelector(".guess-truth")]),
      ]), answer.querySelector(".guess-because"),
    ]);
    var commit = el("button", { type: "submit", class: "guess-commit" });
    var reveal = button("Show me", function () { look(); commit.focus(); });
    var form = el("form", {}, [fieldset, el("p", { class: "guess-buttons" }, [commit, reveal])]);
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      if (!stored(name)) return decide(kind.read());
      forget(function (entry) { return entry === key(name); });
      clear();
    });
    question.after(form);
    answer.replaceWith(live, result);

    function decide(guess) {
      if (guess === null) return box.tell(kind.missing);
      store(name, { guess: guess });
      update(true);
    }

    function look() {
      store(name, { guess: null });
      update(true);
    }

    function clear() {
      kind.write(null);
      update();
    }

    // Make the box, its folds and the tally say what is stored. A guess that no longer fits the question is none.
    function update(aloud) {
      var entry = stored(name), guess = entry && kind.valid(entry.guess) ? entry.guess : null;
      box.state = !entry ? "open" : guess === null ? "seen" : kind.right(guess, truth) ? "right" : "wrong";
      box.dataset.state = box.state;
      fieldset.disabled = !!entry;
      reveal.hidden = !!entry;
      result.hidden = !entry;
      commit.textContent = entry ? "Forget this guess" : "This is my guess";
      yours.hidden = guess === null;
      if (guess !== null) {
        kind.write(guess);
        var head = box.state === "right" ? "You guessed, rightly" : "You guessed";
        yours.replaceChildren(el("p", { class: "guess-head" }, head), el("div", {}, kind.parts(guess, truth)));
      }
      box.tell(aloud ? inWords(guess) : "");
      unfold();
      count();
    }

    function inWords(guess) {
      var shown = result.querySelector(".guess-truth").textContent.trim();  // a number with its digits and unit
      var answer = (typeof truth === "number" ? shown : kind.words(truth)) + ".";
      if (guess === null) return "The answer: " + answer;
      return "You guessed " + kind.words(guess) + (box.state === "right" ? ", rightly: " : ". The answer: ") + answer;
    }

    box.look = look;
    box.clear = clear;
  }

  var boxes = [].slice.call(document.querySelectorAll(".guess[data-truth]"));
  var folds = [].slice.call(document.querySelectorAll(".guess-cells"));

  function waiting(fold) {
    return boxes.filter(function (box) {
      return fold.dataset.guess.split(" ").includes(box.dataset.guess) && (!box.state || box.state === "open");
    });
  }

  // A link from elsewhere may lead into a fold.
  function unfold() {
    folds.forEach(function (fold) { fold.open = !waiting(fold).length || fold.matches(":has(:target)"); });
  }

  // Opening a fold is asking to see.
  folds.forEach(function (fold) {
    fold.querySelector("summary").addEventListener("click", function (event) {
      var boxes = waiting(fold);
      if (!boxes.length) return;
      event.preventDefault();
      boxes.forEach(function (box) { box.look(); });
    });
  });

  var SAYS = { open: "not guessed yet", seen: "seen without a guess", right: "right", wrong: "read again" };
  var tally = document.querySelector(".guess-tally"), told;

  function count() {
    if (!tally) return;
    var states = boxes.map(function (box) { return box.state || "open"; });
    function many(state) { return states.filter(function (one) { return one === state; }).length; }
    tally.querySelector(".guess-count").textContent = "You guessed " + (many("right") + many("wrong")) + " of " +
      boxes.length + ", " + many("right") + " of them right.";
    tally.querySelectorAll("li").forEach(function (line, place) {
      line.dataset.state = states[place];
      line.querySelector(".guess-state").textContent = SAYS[states[place]];
    });
  }

  boxes.forEach(start);
  if (tally) {
    tally.querySelectorAll("li").forEach(function (line) { line.append(": ", el("span", { class: "guess-state" })); });
    told = el("span", { role: "status" });
    [["Forget this chapter's guesses", PREFIX + page + "/", "Forgotten: this chapter's guesses."],
      ["Forget all guesses", PREFIX, "Forgotten: the guesses of all chapters."]].forEach(function (row) {
      tally.append(button(row[0], function () {
        forget(function (entry) { return entry.startsWith(row[1]); });
        boxes.forEach(function (box) { box.clear(); });
        told.textContent = row[2];
      }), " ");
    });
    tally.append(told);
  }
  boxes.forEach(function (box) { box.clear(); });  // or what is stored

  // On paper nobody can press a button.
  var printed = [];
  addEventListener("beforeprint", function () {
    printed = folds.filter(function (fold) { return !fold.open; });
    printed.forEach(function (fold) { fold.open = true; });
  });
  addEventListener("afterprint", function () { printed.forEach(function (fold) { fold.open = false; }); });
})();
