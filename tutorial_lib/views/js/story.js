// A decoder's next token as bars, and a story that goes on.
var SHOWN = 10; // tokens that get a bar
var ALONE = 0.9; // a token with more leaves no choice
var STEPS = 25; // tokens that one press on "Write on" gives

function draw(view) {
  var data = view.data, ages = data.ages, logits = Array.from(TL.floats(data.logits)), ids = null, told = data.told, begin = data.text, writing = false;
  var page = view.still ? null : window.tutorialLib, live = data.live && page, age = null, on = null; // `on` writes on
  var chosen = { temperature: data.temperature, top: 1 }; // top: for top-p
  var text = TL.el("p", { "class": "tl-told" }), bars = TL.el("tbody", {});
  view.picture.replaceChildren(text, TL.el("table", { "class": "tl-next" }, bars));
  show();
  if (!view.still) controls();

  function controls() {
    if (ages.length && live) age = TL.select(view, "Trained for", ages.map(function (one) { return one[0]; }), ages.length - 1, again);
    slider("temperature", "Temperature", { min: 0.1, max: 2 });
    slider("top", "top-p", { min: 0.05, max: 1 });
    if (!live) return;
    on = TL.el("button", { type: "button" }, "Write on");
    on.addEventListener("click", function () { writing ? (writing = false) : write(); });
    view.controls.append(on);
    TL.live(view, "Begin a story", start, data.live);
  }

  function slider(name, label, ends) {
    var options = Object.assign({ step: 0.05, value: chosen[name] }, ends);
    var input = TL.range(view, label, options, function (x) { return x.toFixed(2); }, function () {
      chosen[name] = +input.value;
      show();
    });
  }

  // Softmax of logits / temperature, without the tokens that top-p leaves out.
  function probabilities() {
    var p = TL.softmax(logits.map(function (z) { return z / chosen.temperature; })), sum = 0;
    var order = p.map(function (_, i) { return i; }).sort(function (a, b) { return p[b] - p[a] || a - b; });
    order.forEach(function (i, place) {
      var kept = place === 0 || chosen.top === 1 || sum < chosen.top - 1e-12;
      sum += p[i];
      if (!kept) p[i] = 0;
    });
    var left = p.reduce(function (a, b) { return a + b; }, 0);
    return { order: order, p: p.map(function (x) { return x / left; }) };
  }

  function show() {
    var now = probabilities();
    text.replaceChildren(begin, TL.el("mark", {}, told));
    bars.replaceChildren.apply(bars, now.order.slice(0, SHOWN).map(function (i) {
      var name = spoken(data.pieces[i]);
      if (live) {
        name = TL.el("button", { type: "button", title: "Continue with this" }, name);
        name.addEventListener("click", function () { choose(i); });
      }
      return TL.el("tr", {}, [TL.el("th", { scope: "row" }, name), TL.el("td", { "class": "tl-bar" }, TL.el("i", { style: "width:" + (100 * now.p[i]).toFixed(1) + "%" })),
        TL.el("td", {}, now.p[i].toFixed(3))]);
    }));
    var most = now.p[now.order[0]], n = now.p.filter(function (x) { return x > 0; }).length;
    view.say("Next, \u201c" + spoken(data.pieces[now.order[0]]) + "\u201d is likeliest, with " + most.toFixed(2) + "; " +
      (n === 1 ? "no other has a chance." : most > ALONE ? "no other is likely." : n.toLocaleString("en-US") + " tokens have a chance."));
  }

  function model() { return age ? ages[+age.value][1] : data.live; }

  // What the model expects after the text so far.
  async function look(current) {
    var name = model(), next = await page.next(begin, ids || [], { model: name });
    if (name !== model() || current && !current()) return;
    logits = Array.from(next.logits);
    show();
  }

  async function start(typed, _, current) {
    writing = false;
    begin = typed;
    told = "";
    ids = [];
    await look(current);
    return "Its vocabulary is small: it spells other words letter by letter.";
  }

  async function again() {
    ids = [];
    told = "";
    await look();
  }

  async function choose(i) {
    if (ids === null) told = ""; // the prepared story ends where the reader's begins
    ids = (ids || []).concat(i);
    told += i === data.end ? " (the end)" : data.pieces[i];
    await look();
  }

  function drawn() {
    var p = probabilities().p, rest = Math.random();
    return Math.max(0, p.findIndex(function (x) { return (rest -= x) < 0; }));
  }

  async function write() {
    writing = true;
    on.textContent = "Stop";
    if (ids === null || ids[ids.length - 1] === data.end) { // another story with the same beginning
      ids = [];
      told = "";
      await look();
    }
    for (var step = 0; step < STEPS && writing; step++) {
      var i = drawn();
      await choose(i);
      if (i === data.end) break;
      await new Promise(function (done) { setTimeout(done, 60); }); // as fast as one reads
    }
    writing = false;
    on.textContent = "Write on";
  }
}
