// The live models on a page: `await tutorialLib.load()`, then `await tutorialLib.trace("My text")`. Nothing is loaded
// before somebody asks. Every page of the book has this script; worker.js and the models' files lie beside it.
var tutorialLib = (function () {
  "use strict";
  const HERE = document.currentScript.src.replace(/[^/]*$/, "");
  const MODEL = "all-MiniLM-L6-v2";
  const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor",
    "vector-effect"];
  const loading = {}, files = {}, watching = {}, waiting = new Map();
  let worker = null, last = 0;

  // A classic script is what a page opened from a file may load.
  function script(name) {
    return new Promise(function (resolve, reject) {
      const element = document.createElement("script");
      element.src = HERE + name + ".js";
      element.onload = resolve;
      element.onerror = function () { reject(new Error("The file " + name + ".js is not beside this page. It comes with the book's site: make book.")); };
      document.head.append(element);
    });
  }

  function start() {
    worker = worker || script("worker").then(function () {
      const made = new Worker(URL.createObjectURL(new Blob([tutorialLib.source], { type: "text/javascript" })));
      made.onmessage = function (event) {
        const asked = waiting.get(event.data.id);
        if (!asked) return;
        waiting.delete(event.data.id);
        event.data.error ? asked.reject(new Error(event.data.error)) : asked.resolve(event.data.value);
      };
      made.onerror = function (event) {
        waiting.forEach((asked) => asked.reject(new Error("The model cannot run in this browser: " + event.message)));
        waiting.clear();
      };
      tutorialLib.post = function (message) { made.postMessage(message); };
    }).catch(function (error) {
      worker = null; // the next press tries again
      throw error;
    });
    return worker;
  }

  function ask(message) {
    return new Promise(function (resolve, reject) {
      waiting.set(++last, { resolve, reject });
      tutorialLib.post(Object.assign({ id: last }, message));
    });
  }

  // A model, once; what else asks for it waits for the same. Resolves with what computes it, and how long that took.
  // progress(share) hears how much is there.
  function load(name, progress) {
    name = name || MODEL;
    if (watching[name] !== null) watching[name] = (watching[name] || []).concat(progress || []);
    loading[name] = loading[name] || (async function () {
      const before = performance.now();
      let there = 0;
      const arrived = function () {
        there++;
        (watching[name] || []).forEach((tell) => tell(there / files[name]));
      };
      await start();
      await script(name); // it says how many there are
      arrived();
      await Promise.all(Array.from({ length: files[name] - 1 }, (_, i) => script(`${name}-${i + 1}`).then(arrived)));
      const about = await ask({ ask: "finish", name });
      watching[name] = null; // nothing more will arrive
      if (!wanted(name)) remember("tl-live", [remembered("tl-live"), name].filter(Boolean).join(" "));
      return Object.assign(about, { name, seconds: (performance.now() - before) / 1000 });
    })().catch(function (error) {
      delete loading[name];
      delete watching[name]; // scripts that still arrive tell nobody
      throw error;
    });
    return loading[name];
  }

  async function asked(message, options) {
    const name = (options && options.model) || MODEL;
    await load(name);
    return ask(Object.assign({}, options, message, { name }));
  }

  // Where a browser keeps nothing for pages from files, each page asks anew.
  function remember(key, value) {
    try { localStorage.setItem(key, value); } catch { /* private */ }
  }

  function remembered(key) {
    try { return localStorage.getItem(key); } catch { return null; }
  }

  function wanted(name) {
    return (remembered("tl-live") || "").split(" ").includes(name || MODEL);
  }

  // A drawing as an SVG file of its own, in the colors that it has now.
  function save(svg, name) {
    const copy = svg.cloneNode(true), all = [svg, ...svg.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach(function (element, i) {
      const style = getComputedStyle(all[i]);
      LOOKS.forEach(function (look) { element.style.setProperty(look, style.getPropertyValue(look)); });
    });
    const box = svg.getBoundingClientRect();
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
    copy.style.background = getComputedStyle(svg.closest(".tl-view")).backgroundColor;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
    link.download = name + ".svg";
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }

  return {
    load,
    // {tokens, ids, segments, cut, stops}: stops by Python's names to {shape, values}. options: model, pair, stops (a list of
    // those that are wanted), silence (a list of [layer, head]), without (a list of stops that become 0).
    trace: function (text, options) { return asked({ ask: "trace", text }, options); },
    tokenize: function (text, options) { return asked({ ask: "tokenize", text }, options); },
    // {logits}: a decoder's scores for what comes after a text and the ids written since.
    next: function (text, ids, options) { return asked({ ask: "next", text, ids }, options); },
    // {logits}: a list of a decoder's scores, one after each number of layers, for the token that comes after a text.
    lens: function (text, options) { return asked({ ask: "lens", text }, options); },
    // {among, words}: how many whole words there are, and those nearest to a word in the token table; null for what is no token.
    neighbors: function (word, count, options) { return asked({ ask: "neighbors", word, count }, options); },
    // {vector, cut, among, texts}: the text's vector, how many tokens were left out, how many texts the book compares it with, and the nearest with their cosines.
    nearest: function (text, count, options) { return asked({ ask: "nearest", text, count }, options); },
    // A button below a view that saves its drawing, in the colors that it has now.
    saving: function (view) {
      const drawing = () => view.picture.querySelector("svg:not([aria-hidden])");
      if (!drawing()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "tl-save";
      button.textContent = "Save as SVG";
      button.addEventListener("click", function () { if (drawing()) save(drawing(), view.root.dataset.view.split("-")[0]); });
      view.root.querySelector(".tl-say").before(button); // it floats beside the sentence
    },
    memory: function () { return asked({ ask: "memory" }); },
    // Whether this reader has loaded the model on another page; the sentence that was asked last.
    wanted,
    sentence: function (name, text) {
      const key = "tl-sentence-" + (name || MODEL);
      return text === undefined ? remembered(key) : remember(key, text);
    },
    // What the models' files call.
    start: function (name, about) {
      files[name] = about.files;
      tutorialLib.post({ ask: "start", name, about });
    },
    part: function (name, at, text) { tutorialLib.post({ ask: "part", name, at, text }); },
  };
})();
