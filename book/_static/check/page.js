// The page "Check my notebook": a file that is chosen or dropped is read here, and what was found is told in one
// sentence, then in three lists. All that comes from the file is set as text.
(function () {
  const place = document.querySelector(".check"), LIMIT = CHECK_RULES.limits.MOST_BYTES;
  const ROWS = "assignments.html#before-you-hand-in";
  const WEIGHTS = [["stops", "Stops the grading"], ["costs", "May cost points"], ["fine", "Fine"]];
  let file = null, bytes = null;

  function el(tag, attributes, children) {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...[].concat(children || []));
    return made;
  }

  function many(number, one, more) { return number + " " + (number === 1 ? one : more); }

  function sized(size) { return size < 1e6 ? Math.ceil(size / 1000) + " KB" : (size / 1e6).toFixed(1) + " MB"; }

  function saved(date) {
    return date.toLocaleString("en-US", { weekday: "long", month: "long", day: "numeric", hour: "numeric", minute: "2-digit" });
  }

  // What is right about a notebook that can be graded, in the form of a problem.
  function good(found) {
    const answered = found.answers.filter(function (one) { return one.written; });
    const has = function (...names) { return found.problems.some(function (one) { return names.includes(one.name); }); };
    const list = [["Format", "It is a whole notebook, " + sized(bytes.length) + " of at most " + (LIMIT >> 20) + " MB."]];
    if (answered.length)
      list.push(["Save", "It contains " + many(answered.length, "answer", "answers") + ": " + answered.map(function (one) { return one.name; }).join(", ") + "."]);
    if (!has("never-ran", "not-run", "out-of-order", "stopped")) list.push(["Run", "All its code ran, in order."]);
    return list.map(function (one) { return { weight: "fine", row: one[0], told: one[1], question: "", number: null }; });
  }

  function sentence(found) {
    const stops = found.problems.some(function (one) { return one.weight === "stops"; });
    const costs = found.problems.filter(function (one) { return one.weight === "costs"; }).length;
    const answers = found.answers.length, written = found.answers.filter(function (one) { return one.written; }).length;
    if (stops) return file.name + " cannot be graded.";
    return file.name + " can be graded, as " + found.title.replace(/^A/, "a") + ". It has " + written + " of " + many(answers, "answer", "answers") + ", and " +
      (costs ? many(costs, "thing", "things") + " may cost points." : "nothing was found that costs points.");
  }

  function item(problem) {
    const where = [problem.question, problem.number && "cell " + problem.number].filter(Boolean).join(", ");
    const link = problem.name ? el("a", { href: ROWS }, "Before you hand in: " + problem.row) : "";
    return el("li", {}, [el("b", {}, where || problem.row), el("p", {}, problem.told), link]);
  }

  function show(found) {
    const all = found.problems.slice(), stops = all.some(function (one) { return one.weight === "stops"; });
    if (!stops) all.push(...good(found));
    said.textContent = sentence(found);
    about.textContent = sized(file.size) + (file.lastModified ? ", last saved on " + saved(new Date(file.lastModified)) + ". Is that when you saved it?" : "");
    result.replaceChildren(...WEIGHTS.map(function (weight) {
      const list = all.filter(function (one) { return one.weight === weight[0]; });
      if (!list.length) return "";
      return el("div", { className: "check-" + weight[0] }, [
        el("h2", {}, weight[1]), el("ul", {}, list.map(item)),
      ]);
    }));
  }

  function tell(text) {
    said.textContent = text;
    about.textContent = "";
    result.replaceChildren();
  }

  function look() {
    if (!bytes) return;
    try {
      show(checkNotebook(bytes, file.name, which.value));
    } catch (error) {
      tell("This page could not read " + file.name + ". That says nothing about its grading. Tell your teacher.");
    }
  }

  function take(files) {
    if (!files.length) return;
    if (files.length > 1) return tell("These are " + files.length + " files: drop one at a time.");
    [file, bytes] = [files[0], null];
    tell("Reading " + file.name + ".");
    // What is too large is not even read: one byte more than fits says so.
    file.slice(0, LIMIT + 1).arrayBuffer().then(function (content) {
      bytes = new Uint8Array(content);
      look();
    }, function () { tell(file.name + " could not be opened. Is it a folder? Drop the notebook itself, the file that ends in .ipynb."); });
  }

  const input = el("input", { type: "file", accept: ".ipynb,application/x-ipynb+json,*/*" });
  const box = el("label", { className: "check-drop" }, [
    input, el("b", {}, "Choose your notebook"), el("span", {}, "or drop it anywhere on this page"),
  ]);
  const which = el("select", {}, [el("option", { value: "" }, "the assignment that the file names")].concat(
    Object.entries(CHECK_RULES.assignments).map(function (entry) { return el("option", { value: entry[0] }, entry[1].title); })));
  const said = el("p", { role: "status", className: "check-said" }), about = el("p", { className: "check-about" });
  const result = el("div", { className: "check-result" });

  input.addEventListener("change", function () {
    take(input.files);
    input.value = "";  // so that the same file, saved again, can be chosen again
  });
  which.addEventListener("change", look);
  document.addEventListener("dragover", function (event) {
    event.preventDefault();
    box.classList.add("over");
  });
  document.addEventListener("dragleave", function (event) { if (!event.relatedTarget) box.classList.remove("over"); });
  document.addEventListener("drop", function (event) {
    event.preventDefault();
    box.classList.remove("over");
    take(event.dataTransfer.files);
  });
  place.replaceChildren(box, el("p", { className: "check-which" }, el("label", {}, ["You hand it in as ", which])), said, about, result);
})();
