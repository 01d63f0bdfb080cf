// Guesses: controls to commit to one, then what it hid, and the tally at the end of the chapter. What was guessed is
// kept in this browser only, one entry a guess. Without this script the page has the questions, the answers in folds, and
// all else in plain sight. again.js asks some of them days later, with the same controls.
(function () {
  var PREFIX = "guess:", AGAIN = "again:", page = location.pathname.split("/").pop().replace(/\.html$/, "");
  var unsaved = {};  // where the browser keeps nothing for this page, guesses last as long as the page

  function key(name) { return PREFIX + page + "/" + name; }

  // Where the guesses of a page are kept.
  var here = {
    get: function (name) {
      var kept = null;
      try { kept = JSON.parse(localStorage.getItem(key(name))); } catch (error) { /* see `unsaved` */ }
      return kept || unsaved[key(name)];
    },
    set: function (name, entry) {
      unsaved[key(name)] = entry;
      try { localStorage.setItem(key(name), JSON.stringify(entry)); } catch (error) { /* see `unsaved` */ }
    },
    drop: function (name) { forget(function (guess) { return guess === page + "/" + name; }); },
  };

  // Forget some guesses, by chapter and name, and when they come back.
  function forget(chosen) {
    function gone(entry) {
      return [PREFIX, AGAIN].some(function (start) { return entry.startsWith(start) && chosen(entry.slice(start.length)); });
    }
    Object.keys(unsaved).filter(gone).forEach(function (entry) { delete unsaved[entry]; });
    try {
      Object.keys(localStorage).filter(gone).forEach(function (entry) { localStorage.removeItem(entry); });
    } catch (error) { /* nothing was kept */ }
    dispatchEvent(new Event("forgotten"));
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

  // What a kind of guess needs: to read the guess out of its controls (null: there is none yet) and to write one into
  // them, whether it fits the question, whether it is right, and how it is told: `words` to a screen reader, `parts`
  // beside the answer.
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
        mark: function (guess, truth) {
          items(list).forEach(function (item) {
            var yours = item.dataset.item === guess, isTrue = item.dataset.item === truth;
            var says = [yours && "your guess", isTrue && "what it is"].filter(Boolean).join(", and ");
            item.toggleAttribute("data-yours", yours);
            item.toggleAttribute("data-true", isTrue);
            item.querySelectorAll("em.guess-mark").forEach(function (mark) { mark.remove(); });
            if (says) item.querySelector("label").append(el("em", { class: "guess-mark" }, says));
          });
        },
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
        mark: function (guess, truth) {
          var place = box.dataset.drawn && JSON.parse(box.dataset.drawn);
          document.querySelectorAll('.guess-drawn[data-guess="' + box.dataset.guess + '"]').forEach(remove);
          box.querySelectorAll(".guess-line, .guess-where").forEach(remove);
          if (truth === null || guess === null) return;
          box.querySelector(".guess-verdict").after(numberLine(guess, truth, within(truth), /^%/.test(unit)),
            place ? drawInto(place, guess, box.dataset.guess) : "");
        },
      };

      // From where to where a guess counts as right.
      function within(truth) {
        var given = box.dataset, factor = Number(given.factor);
        if (factor) return [truth / factor, truth * factor].sort(function (a, b) { return a - b; });
        var around = given.units ? Number(given.units) : Math.abs(truth) * Number(given.share) / 100;
        return [truth - around, truth + around];
      }
    },

    order: function (box) {
      var list = el("ol", { class: "guess-items" }), bullets = box.querySelector(".guess-items");
      list.append.apply(list, [].slice.call(bullets.children));
      bullets.replaceWith(list);
      var first = items(list), touched = false;

      function move(item, step, control) {
        var all = items(list), place = all.indexOf(item) + step;
        if (place < 0 || place >= all.length) return;
        if (step < 0) all[place].before(item); else all[place].after(item);
        touched = true;
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
        read: function () { return touched ? items(list).map(function (item) { return item.dataset.item; }) : null; },
        missing: "Move at least one item first.",
        write: function (guess) {
          touched = false;
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
        mark: function () {},
        sides: true,
        parts: function (guess, truth) {
          return [el("ol", {}, guess.map(function (text, place) {
            return el("li", text === truth[place] ? {} : { class: "guess-misplaced" }, shown(list, text));
          }))];
        },
      };
    },
  };

  // The guess and the answer on one line, with what counts as right. Far apart, each step of it is a factor of ten.
  function numberLine(guess, truth, right, percent) {
    var all = [guess, truth].concat(right), low = Math.min.apply(null, all), high = Math.max.apply(null, all);
    var tens = low > 0 && high / low > 12;
    var from = tens ? Math.pow(10, Math.floor(Math.log10(low))) : Math.min(0, low);
    var to = tens ? Math.pow(10, Math.ceil(Math.log10(high))) : percent && low >= 0 && high <= 100 ? 100 : round(high);
    if (!tens && from < 0) from = -round(-from);

    // The next number of one digit: 1, 2, 3, 5 or 10 times a power of ten.
    function round(number) {
      var power = Math.pow(10, Math.floor(Math.log10(number || 1)));
      return [1, 2, 3, 5, 10].find(function (step) { return number <= step * power * 1.0001; }) * power;
    }

    function place(number) {
      var share = tens ? Math.log(number / from) / Math.log(to / from) : (number - from) / (to - from);
      return (12 + 456 * Math.min(1, Math.max(0, share))).toFixed(1);
    }

    function draw(tag, attributes, text) {
      var made = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (var name in attributes) made.setAttribute(name, attributes[name]);
      made.append.apply(made, [].concat(text || []));
      return made;
    }

    function label(number, y, text, as) {
      var x = place(number), anchor = x < 60 ? "start" : x > 420 ? "end" : "middle";
      return draw("text", { x: x, y: y, "text-anchor": anchor, "class": as }, text);
    }

    var a = place(right[0]), b = place(right[1]);
    return draw("svg", { "class": "guess-line", viewBox: "0 0 480 74", "aria-hidden": "true" }, [
      draw("rect", { x: a, y: 26, width: Math.max(2, b - a).toFixed(1), height: 16, rx: 2 }),
      draw("path", { d: "M12 34H468", "class": "guess-axis" }),
      draw("path", { d: "M" + place(truth) + " 24V44", "class": "guess-true" }),
      draw("circle", { cx: place(guess), cy: 34, r: 6, "class": "guess-yours" }),
      label(guess, 16, "your guess", "guess-yours"), label(truth, 60, "what it is", "guess-true"),
      label(from, 72, from.toLocaleString("en-US"), ""), label(to, 72, to.toLocaleString("en-US"), ""),
    ]);
  }

  // The guess as a line across the panel of the figure whose axis counts the same thing.
  function drawInto(place, guess, name) {
    var figure = document.getElementById(place.figure), frame = figure.querySelector(".guess-frame");
    if (!frame) {
      var pictures = [].slice.call(figure.querySelectorAll(".drawing"));
      frame = el("span", { class: "guess-frame" });
      pictures[0].before(frame);
      frame.append.apply(frame, pictures);
    }
    ["wide", "phone"].forEach(function (layout) {
      var ruler = place[layout], scale = ruler.log ? Math.log : Number, ends = ruler.values.map(scale);
      var share = (scale(guess * place.factor) - ends[0]) / (ends[1] - ends[0]);
      var wanted = ruler.places[0] + share * (ruler.places[1] - ruler.places[0]);
      if (isNaN(wanted)) wanted = 2 * ruler.places[0] - ruler.places[1];  // a logarithmic axis has no negative numbers
      var at = Math.min(ruler.along[1], Math.max(ruler.along[0], wanted));
      var line = el("span", { class: "guess-drawn guess-" + layout, "data-guess": name, "data-axis": place.axis,
        "aria-hidden": "true" }, el("span", {}, at === wanted ? "your guess" : "your guess is off this end"));
      var upright = place.axis === "x", start = 100 * ruler.across[0] + "%";
      line.toggleAttribute("data-late", at > .6);
      line.style[upright ? "left" : "top"] = 100 * at + "%";
      line.style[upright ? "top" : "left"] = start;
      line.style[upright ? "height" : "width"] = 100 * (ruler.across[1] - ruler.across[0]) + "%";
      frame.append(line);
    });
    var number = figure.querySelector(".caption-number");
    return el("p", { class: "guess-where" }, ["Your guess is the dashed line in ",
      el("a", { href: "#" + place.figure }, number ? number.textContent.trim() : "the figure"), "."]);
  }

  function remove(element) { element.remove(); }

  function items(list) { return [].slice.call(list.children); }

  function find(list, text) { return items(list).find(function (item) { return item.dataset.item === text; }); }

  // The content of an item, formulas included, without its controls.
  function shown(list, text) {
    return [].slice.call(find(list, text).querySelector("span").cloneNode(true).childNodes);
  }

  // Make a box work. What is guessed in it goes to `shelf`.
  function start(box, shelf) {
    var block = box.closest(".guess-block"), name = box.dataset.guess, truth = JSON.parse(box.dataset.truth), answer = box.querySelector(".guess-answer");
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

    // How it went: one sentence, an order beside the true one, and why.
    var verdict = el("p", { class: "guess-verdict" }), sides = el("div", { class: "guess-sides" });
    var told = answer.querySelector(".guess-truth");
    var result = el("div", { class: "guess-result", hidden: "" }, [verdict, sides, answer.querySelector(".guess-because")]);
    var commit = el("button", { type: "submit", class: "guess-commit" });
    var reveal = button("Show me", look);
    var form = el("form", {}, [fieldset, result, el("p", { class: "guess-buttons" }, [commit, reveal])]);
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      if (!shelf.get(name)) return decide(kind.read());
      shelf.drop(name);
      clear();
    });
    question.after(form);
    answer.replaceWith(live);

    function decide(guess) {
      if (guess === null) return box.tell(kind.missing);
      keep(guess);
    }

    function look() { keep(null); }

    function keep(guess) {
      shelf.set(name, { guess: guess });
      update(true);
      commit.focus({ preventScroll: true });  // what was used is closed now
      box.dispatchEvent(new Event("guessed", { bubbles: true }));
    }

    function clear() {
      kind.write(null);
      update();
    }

    // Make the box, what it hides and the tally say what is stored. A guess that no longer fits the question is none.
    function update(aloud) {
      var entry = shelf.get(name), guess = entry && kind.valid(entry.guess) ? entry.guess : null;
      box.state = !entry ? "open" : guess === null ? "seen" : kind.right(guess, truth) ? "right" : "wrong";
      box.dataset.state = block.dataset.state = box.state;
      fieldset.disabled = !!entry;
      reveal.hidden = !!entry;
      result.hidden = !entry;
      commit.textContent = entry ? "Forget this guess" : "This is my guess";
      if (guess !== null) kind.write(guess);
      kind.mark(guess, entry ? truth : null);
      verdict.replaceChildren.apply(verdict, sentence(guess));
      sides.replaceChildren.apply(sides, kind.sides ? [
        guess === null ? "" : side("Your order", el("div", {}, kind.parts(guess, truth))), side("The answer", told),
      ] : []);
      box.tell(aloud ? inWords(guess) : "");
      count();
    }

    function side(head, content) {
      return el("div", { class: "guess-side" }, [el("p", { class: "guess-head" }, head), content]);
    }

    // "You said 8 times. It is 4 times." An order is told beside the other.
    function sentence(guess) {
      var right = box.state === "right";
      if (kind.sides) return [right ? "Right." : guess === null ? "This is the order." : "Not quite."];
      var is = [].slice.call(told.cloneNode(true).childNodes);
      if (right) return ["Right: "].concat(is, stop(told));
      if (guess === null) return ["It is "].concat(is, stop(told));
      var said = el("span", {}, kind.parts(guess, truth));
      return ["You said ", said, stop(said) + " It is "].concat(is, stop(told));
    }

    function stop(part) { return /[.?!]\s*$/.test(part.textContent) ? "" : "."; }

    function inWords(guess) {
      var shown = told.textContent.trim();  // a number with its digits and unit
      var answer = (typeof truth === "number" ? shown : kind.words(truth)) + ".";
      if (guess === null) return "The answer: " + answer;
      return "You guessed " + kind.words(guess) + (box.state === "right" ? ", rightly: " : ". The answer: ") + answer;
    }

    box.look = look;
    box.clear = clear;
  }

  var boxes = [].slice.call(document.querySelectorAll(".guess[data-truth]"));

  // A link from elsewhere may lead to what waits for a guess.
  function follow() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var hidden = target && target.closest(".guess-opened");
    if (!hidden) return;
    for (; hidden; hidden = hidden.parentNode.closest(".guess-opened")) hidden.parentNode.dataset.linked = "";
    target.scrollIntoView();
  }

  var SAYS = { open: "not guessed yet", seen: "seen without a guess", right: "right", wrong: "read again" };
  var tally = document.querySelector(".guess-tally"), done;

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

  boxes.forEach(function (box) { start(box, here); });
  if (tally) {
    tally.querySelectorAll("li").forEach(function (line) { line.append(": ", el("span", { class: "guess-state" })); });
    done = el("span", { role: "status" });
    [["Forget this chapter's guesses", page + "/", "Forgotten: this chapter's guesses."],
      ["Forget all guesses", "", "Forgotten: the guesses of all chapters."]].forEach(function (row) {
      tally.append(button(row[0], function () {
        forget(function (guess) { return guess.startsWith(row[1]); });
        boxes.forEach(function (box) { box.clear(); });
        done.textContent = row[2];
      }), " ");
    });
    tally.append(done);
  }
  boxes.forEach(function (box) { box.clear(); });  // or what is stored
  addEventListener("hashchange", follow);
  follow();
  window.guesses = { AGAIN: AGAIN, page: page, el: el, button: button, start: start };  // for again.js
})();
