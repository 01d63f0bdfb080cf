// A word of the reader's own: two short lists of sentences, and the axis between them, as tutorial_book/experiments/which.py
// finds it. `sensesOf` is only arithmetic; `wordForm` asks for the sentences.
const sensesOf = (function () {
  const range = (n) => Array.from({ length: n }, (_, i) => i);
  const dot = (x, y) => x.reduce((sum, value, k) => sum + value * y[k], 0);
  const minus = (x, y) => x.map((value, k) => value - y[k]);
  const mean = (rows) => rows[0].map((_, k) => rows.reduce((sum, row) => sum + row[k], 0) / rows.length);

  // The longest direction of some rows: by the power method on their products with each other.
  function longest(rows) {
    const products = rows.map((a) => rows.map((b) => dot(a, b)));
    let weights = rows.map((_, i) => 1 + i / rows.length);
    for (let turn = 0; turn < 200; turn++) {
      weights = products.map((row) => dot(row, weights));
      const length = Math.sqrt(dot(weights, weights)) || 1;
      weights = weights.map((x) => x / length);
    }
    const sum = rows[0].map((_, k) => rows.reduce((total, row, i) => total + weights[i] * row[k], 0)), length = Math.sqrt(dot(sum, sum)) || 1;
    return sum.map((x) => x / length);
  }

  // uses: {text, side, states}, states the word's vectors at each depth. What a stored word has, its examples aside.
  return function (uses) {
    const depths = uses[0].states.length, last = depths - 1, of = (side, l, but) => mean(uses.filter((use) => use.side === side && use !== but).map((use) => use.states[l]));
    const means = range(depths).map((l) => [of(0, l), of(1, l)]), d = minus(means[last][1], means[last][0]);
    const rest = uses.map((use) => minus(use.states[last], means[last][use.side])), within = rest.map((row) => minus(row, d.map((x) => (x * dot(row, d)) / dot(d, d))));
    const e = longest(within), middle = means.map(([a, b]) => [d, e].map((axis) => (dot(a, axis) + dot(b, axis)) / 2));
    const scale = [dot(d, d) / 2, Math.max(...within.map((row) => Math.abs(dot(row, e)))) || 1];
    const path = (states) => states.map((x, l) => [d, e].map((axis, i) => (dot(x, axis) - middle[l][i]) / scale[i]));
    const right = uses.filter((use) => {
      const [a, b] = [of(0, last, use), of(1, last, use)], axis = minus(b, a);
      return dot(minus(use.states[last], a.map((x, k) => (x + b[k]) / 2)), axis) > 0 === (use.side === 1);
    }).length;
    return { middle, scale, axes: [d, e], uses: uses.map(({ text, side, states }) => ({ text, side, path: path(states) })), examples: [], right };
  };
})();

// A form that is folded away. made(word, names, lists) is called with what the reader typed.
function wordForm(made) {
  const area = (label, such) => TL.el("label", {}, [label, TL.el("textarea", { rows: 6, spellcheck: "false", placeholder: such })]), field = (label) => TL.el("label", {}, [label + " ", TL.el("input", { type: "text", maxlength: 40, autocomplete: "off" })]);
  const word = field("The word"), names = [field("One meaning"), field("The other")], lists = [area("Sentences with the one, a line each", "The crane caught a fish.\nA crane flew over the marsh.\n…"), area("Sentences with the other, a line each", "The crane lifted the beam.\nThey painted the crane yellow.\n…")];
  const note = TL.el("p", { role: "status", "class": "which-note" }), form = TL.el("form", { "class": "which-own" }, [word, ...names, ...lists, TL.el("button", { type: "submit" }, "Learn this word"), note]);
  const value = (label) => label.querySelector("input, textarea").value.trim();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const texts = lists.map((list) => value(list).split("\n").map((line) => line.trim()).filter(Boolean)), one = value(word).toLowerCase();
    const missing = !one ? "Type a word first." : texts.some((list) => list.length < 3) ? "Each list needs at least three sentences; six or more are better." : null;
    if (missing) { note.textContent = missing; return; }
    note.textContent = "Computing …";
    try {
      note.textContent = await made(one, names.map((name, i) => value(name) || ["one meaning", "the other"][i]), texts);
    } catch (error) {
      note.textContent = error.message;
    }
  });
  return TL.el("details", { "class": "which-bring" }, [TL.el("summary", {}, "Your own word"), TL.el("p", {}, "Write some sentences with a word in one meaning, and some with the same word in another. The model in this page finds the direction between the two; then ask it about new ones."), form]);
}
