// The live models on a page: `await tutorialLib.load()`, then `await tutorialLib.trace("My text")`. Nothing is loaded
// before somebody asks. Every page of the book has this script; worker.js and the models' files lie beside it.
var tutorialLib = (function () {
  "use strict";
  const HERE = document.currentScript.src.replace(/[^/]*$/, "");
  const MODEL = "all-MiniLM-L6-v2";
  const loading = {}, files = {}, watching = {}, waiting = new Map();
  let worker = null, last = 0;

  // A classic script is what a page opened from a file may load.
  function script(name) {
    return new Promise(function (resolve, reject) {
      const element = document.createElement("script");
      element.src = HERE + name + ".js";
      element.onload = resolve;
      element.onerror = function () { reject(new Error("The file " + name + ".js is not beside this page, so it cannot compute: open the book's site, or run make book.")); };
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

  // Give each part of a copy the look that its original has here: what is neither the browser's own nor its parent's.
  function dress(copy, original) {
    const frame = document.createElement("iframe"), blanks = {};
    frame.style.cssText = "position: absolute; visibility: hidden";
    document.body.append(frame); // a page without any style sheet
    function plain(element) {
      const kind = [element.namespaceURI, element.localName, element.type].join(" ");
      if (!blanks[kind]) {
        const blank = frame.contentDocument.createElementNS(element.namespaceURI, element.localName);
        if (element.localName === "input") blank.type = element.type;
        frame.contentDocument.body.append(blank);
        blanks[kind] = getComputedStyle(blank);
      }
      return blanks[kind];
    }
    const copies = [copy, ...copy.querySelectorAll("*")];
    [original, ...original.querySelectorAll("*")].forEach(function (element, i) {
      const now = getComputedStyle(element), unstyled = plain(element);
      const parent = element === original ? null : getComputedStyle(element.parentElement);
      const looks = [...now].filter((look) => now[look] !== unstyled[look] || !parent || now[look] !== parent[look]);
      copies[i].setAttribute("style", looks.map((look) => `${look}: ${now[look]}`).join("; "));
      if (element.localName === "input") copies[i].setAttribute("value", element.value);
      if (element.localName === "canvas") {
        const drawn = document.createElement("img");
        drawn.src = element.toDataURL();
        drawn.setAttribute("style", copies[i].getAttribute("style"));
        copies[i].replaceWith(drawn);
      }
    });
    frame.remove();
    return copy;
  }

  // A drawing, or a table, as an SVG file of its own, in the colors that it has now.
  function save(drawing, name) {
    const box = drawing.getBoundingClientRect(), vector = drawing.localName === "svg";
    const copy = dress(drawing.cloneNode(true), drawing);
    const svg = vector ? copy : document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("width", box.width);
    svg.setAttribute("height", box.height);
    svg.style.background = getComputedStyle(drawing.closest(".tl-view")).backgroundColor;
    if (!vector) {
      const inside = document.createElementNS("http://www.w3.org/2000/svg", "foreignObject");
      inside.setAttribute("width", "100%");
      inside.setAttribute("height", "100%");
      inside.append(copy);
      svg.append(inside);
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }));
    link.download = name + ".svg";
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }

  return {
    load,
    // {tokens, ids, segments, cut, stops}: stops by Python's names to {shape, values}. options: model, pair, stops (a list of
    // those that are wanted), places (of a decoder's tokens), and what changes in the run, as switches.js says: hide, edges,
    // silence, heard, without.
    trace: function (text, options) { return asked({ ask: "trace", text }, options); },
    // For each of many runs of an encoder, {hide, edges, silence, heard, without}, a Float32Array: the vectors of the token number
    // `place` at the stops, one after the other; by default its states, before the first layer and after each. options: place,
    // stops, model, pair. Ask in `for await (const vectors of tutorialLib.runs(...))`: no more is computed when you leave the loop.
    runs: async function* (text, runs, options) {
      for (let done = 0; done < runs.length; ) {
        const found = await asked({ ask: "runs", text, runs: runs.slice(done) }, options);
        done += found.length;
        yield* found;
      }
    },
    tokenize: function (text, options) { return asked({ ask: "tokenize", text }, options); },
    // {logits}: a decoder's scores for what comes after a text and the ids written since.
    next: function (text, ids, options) { return asked({ ask: "next", text, ids }, options); },
    // {logits}: a list of a decoder's scores, one after each number of layers, for the token that comes after a text.
    lens: function (text, options) { return asked({ ask: "lens", text }, options); },
    // {among, words}: how many whole words there are, and those nearest to a word in the token table; null for what is no token.
    neighbors: function (word, count, options) { return asked({ ask: "neighbors", word, count }, options); },
    // {vector, cut, among, texts}: the text's vector, how many tokens were left out, how many texts the book compares it with, and the nearest with their cosines.
    nearest: function (text, count, options) { return asked({ ask: "nearest", text, count }, options); },
    // A button below a view that saves its picture: the drawing, or what else stands there.
    saving: function (view) {
      function drawing() {
        const found = view.picture.querySelectorAll("svg:not([aria-hidden])");
        return found.length === 1 ? found[0] : view.picture;
      }
      if (getComputedStyle(view.root).display === "block") view.root.style.display = "flow-root"; // what floats in it stays in it
      const button = document.createElement("button");
      button.type = "button";
      button.className = "tl-save";
      button.textContent = "Save as SVG";
      button.addEventListener("click", function () {
        const long = view.picture.classList.contains("tl-long");
        view.picture.classList.remove("tl-long"); // all of it, not what is scrolled to
        save(drawing(), view.root.dataset.view.split("-")[0]);
        view.picture.classList.toggle("tl-long", long);
      });
      view.root.querySelector(".tl-say").before(button); // it floats beside the sentence
    },
    // A worker that trains a model, the tokenizer and the stories that it needs, and the table of a step: {worker, book, stories, hand}.
    training: async function () {
      if (!tutorialLib.trains) await script("training");
      const { source, ...more } = tutorialLib.trains;
      return { worker: new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" }))), ...more };
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
