// What runs beside the page, so that typing never waits: models by name, each with its tokenizer. The page asks with
// {id, ask, ...}; the answer carries the id, or says in `error` what went wrong.

const CUT = 128; // tokens of a text that are computed; a longer one is cut, and the answer says so
const MOMENT = 40; // milliseconds of `runs`, after which another question may come first
const models = {};
const machine = simd() || Arithmetic();

function simd() {
  try {
    return Kernel(decoded(KERNEL, new Uint8Array(KERNEL.length)));
  } catch {
    return null; // a browser without SIMD
  }
}

// Base64 straight into the place where the bytes belong.
function decoded(text, place) {
  if (place.setFromBase64) return place.subarray(0, place.setFromBase64(text).written);
  const letters = atob(text);
  for (let i = 0; i < letters.length; i++) place[i] = letters.charCodeAt(i);
  return place.subarray(0, letters.length);
}

const answers = {
  start({ name, about }) {
    models[name] = { about, block: models[name] ? models[name].block : machine.block(about.size) }; // a second try takes no more
  },

  part({ name, at, text }) {
    decoded(text, models[name].block.bytes().subarray(at));
  },

  // All parts are there: the model can be put together.
  finish({ name }) {
    if (!models[name] || models[name].error) throw models[name] ? models[name].error : new Error("The model's first file is missing.");
    const { about, block } = models[name], weights = (part) => placed(about.weights[part], block);
    const model = about.kind === "GPT" ? new GPT(weights, about.config) : new Bert(weights, about.config);
    const ids = new Map(about.tokens.map((token, id) => [token, id]));
    const words = about.kind === "GPT" ? BPE(about.tokenizer) : WordPiece(about.tokenizer, about.tokens);
    const cut = about.kind === "GPT" ? words : (text) => words(text).flatMap((word) => word.tokens);
    Object.assign(models[name], { model, ids, cut, library: library(about.library) });
    return { machine: machine.name, bytes: machine.bytes(), least_cosine: about.least_cosine, texts: about.library.texts.length };
  },

  // Bytes that weights and passes have taken.
  memory() {
    return machine.bytes();
  },

  tokenize({ name, text, pair }) {
    return encode(models[name], text, pair);
  },

  // Tokens, ids and the values on the way whose names are asked for: {shape, values}. places: where a decoder's tokens
  // stand, if not one after the other. The other options are those of switches.js.
  trace({ name, text: asked, pair, stops, places = null, ...options }) {
    const which = models[name], { text, change } = Switches(which, encode(which, asked, pair), options), seen = new Set(), kept = {};
    const wanted = stops ? new Set(stops) : { has: () => true };
    machine.pass(() => {
      const keep = (stop, X) => {
        change(stop, X);
        if (wanted.has(stop)) kept[stop] = read(X);
        seen.add(stop);
        return X;
      };
      which.about.kind === "GPT" ? which.model.forward(text.ids, null, keep, places) : which.model.forward(text.ids, text.segments, keep);
    });
    among("stops", stops, seen);
    among("without", options.without, seen);
    return { ...text, stops: kept };
  },

  // Many runs of an encoder on one text, each with its own options: a token's vectors at the stops for each. It answers
  // after a MOMENT, so that a newer question need not wait; page.js asks for the rest. place: the token's number.
  runs({ name, text, pair, place, stops, runs }) {
    const which = models[name], { about, model } = which, end = performance.now() + MOMENT, found = [];
    if (about.kind !== "Bert") throw new Error(`runs needs an encoder, got ${name}.`);
    const encoding = encode(which, text, pair), key = JSON.stringify([text, pair, place, stops]);
    bounded("place", [place], encoding.ids.length);
    const [none, ...all] = [{}, ...runs].map((options) => Switches(which, encoding, options, place));
    stops = stops || ["embeddings.output", ...model.layer.map((_, i) => `layer.${i}.output`)];
    if (!which.plain || which.plain.key !== key) which.plain = { key, ...run(model, none, stops) };
    among("stops", stops, which.plain.seen);
    runs.forEach(({ without }) => among("without", without, which.plain.seen));
    do found.push(run(model, all[found.length], stops, which.plain).vectors);
    while (found.length < runs.length && performance.now() < end);
    return found;
  },

  // A decoder's scores for the token after a text and the tokens written since. What it computed for the same beginning
  // last time is taken from its cache.
  next({ name, text, ids = [] }) {
    const which = models[name], { about, model } = which, end = which.ids.get(about.tokenizer.special[0]);
    const all = [end, ...encode(which, text).ids, ...ids].slice(-about.n_positions);
    const past = which.past && which.past.ids.length < all.length && which.past.ids.every((id, i) => id === all[i]) ? which.past : { ids: [], cache: null };
    return machine.pass(() => {
      const cache = past.cache && past.cache.map((pair) => pair.map(({ shape, values }) => machine.array(shape, values)));
      const [logits, now] = model.forward(all.slice(past.ids.length), cache), [n, size] = logits.shape;
      which.past = { ids: all, cache: now.map((pair) => pair.map((X) => ({ shape: X.shape, values: machine.view(X).slice() }))) };
      return { logits: machine.view(logits).slice((n - 1) * size) };
    });
  },

  // A decoder's scores for the token after a text, read off its state before the first layer and after each.
  lens({ name, text }) {
    const which = models[name], { about, model } = which, end = which.ids.get(about.tokenizer.special[0]);
    const encoding = encode(which, text), ids = [end, ...encoding.ids].slice(0, about.n_positions), states = [];
    return machine.pass(() => {
      model.forward(ids, null, (stop, X) => {
        if (/^(embeddings|layer\.\d+)\.output$/.test(stop)) states.push(X);
        return X;
      });
      return { cut: encoding.cut, logits: states.map((X) => {
        const last = machine.array([1, X.shape[1]], machine.view(X).slice((ids.length - 1) * X.shape[1]));
        return machine.view(machine.linear(machine.layer_norm(last, model.norm), model.unembedding)).slice();
      }) };
    });
  },

  // The whole words whose rows in the token table lie nearest to a word's, with their cosines.
  neighbors({ name, word, count }) {
    const { about, model, ids } = models[name], table = model.embeddings.tokens, own = ids.get(word);
    if (own === undefined) return { words: null };
    const numbers = (some) => machine.pass(() => machine.view(machine.rows(table, some)).slice());
    const mine = numbers([own]), length = norm(mine), d = mine.length, found = [];
    const others = about.tokens.map((token, id) => [token, id]).filter(([token, id]) => id !== own && /^[a-z]{3,}$/i.test(token));
    for (let at = 0; at < others.length; at += 1024) { // in parts: all rows at once would take 47 MB
      const part = others.slice(at, at + 1024), rows = numbers(part.map(([, id]) => id));
      part.forEach(([token], i) => {
        let product = 0, square = 0;
        for (let k = 0; k < d; k++) {
          product += mine[k] * rows[i * d + k];
          square += rows[i * d + k] ** 2;
        }
        found.push([token, product / (length * Math.sqrt(square))]);
      });
    }
    return { among: others.length, words: found.sort((a, b) => b[1] - a[1]).slice(0, count) };
  },

  // The book's texts that lie nearest to a text, with their cosines.
  nearest({ name, text, count }) {
    const { texts, vectors } = models[name].library, { vector, cut } = mean(models[name], text), length = norm(vector);
    const cosines = texts.map((other, i) => [other, vectors[i].reduce((sum, x, k) => sum + x * vector[k], 0) / (length * norm(vectors[i]))]);
    return { vector, cut, among: texts.length, texts: cosines.sort((a, b) => b[1] - a[1]).filter(([other]) => other !== text).slice(0, count) };
  },
};

const norm = (x) => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));

// The mean of a text's last vectors.
function mean(which, text) {
  const { ids, segments, cut } = encode(which, text);
  return machine.pass(() => {
    const X = which.model.forward(ids, segments), [n, d] = X.shape, values = machine.view(X), mean = new Float32Array(d);
    for (let k = 0; k < d; k++) {
      let sum = 0;
      for (let t = 0; t < n; t++) sum += values[t * d + k];
      mean[k] = sum / n;
    }
    return { vector: mean, cut };
  });
}

// A part's numbers: where they stand in the machine's memory, and the numbers themselves.
function placed(part, block) {
  if (!part) return null;
  const at = Object.fromEntries(Object.entries(part.at).map(([name, place]) => [name, block.base + place]));
  const types = { whole: Int8Array, multiple: Uint8Array };
  function numbers(name, place) {
    const bytes = block.bytes();
    return new (types[name] || Float32Array)(bytes.buffer, bytes.byteOffset + place);
  }
  return {
    ...part, at, packed: "longest" in part,
    parts: () => Object.fromEntries(Object.entries(part.at).map(([name, place]) => [name, numbers(name, place)])),
  };
}

// Texts with their vectors, of which each coordinate came in one byte.
function library({ texts, vectors }) {
  const bytes = new Int8Array(decoded(vectors, new Uint8Array(vectors.length)).slice().buffer), d = bytes.length / texts.length;
  return { texts, vectors: texts.map((_, i) => bytes.subarray(i * d, (i + 1) * d)) };
}

function encode({ about, ids, cut }, text, pair) {
  const parts = [text, pair].filter((part) => part != null).map(cut), bert = about.kind === "Bert";
  const room = Math.min(CUT, about.n_positions) - (bert ? parts.length + 1 : 0), n = parts.reduce((sum, part) => sum + part.length, 0);
  while (parts.reduce((sum, part) => sum + part.length, 0) > room) parts.reduce((a, b) => (b.length > a.length ? b : a)).pop();
  const tokens = bert ? ["[CLS]", ...parts.flatMap((part) => [...part, "[SEP]"])] : parts.flat();
  const first = parts[0].length + 2;
  return { tokens, ids: tokens.map((token) => ids.get(token)), segments: tokens.map((_, i) => (i < first ? 0 : 1)), cut: Math.max(0, n - room) };
}

// A value as it leaves the machine. Heads that stand side by side come one after the other, as in Python.
function read(X) {
  const values = machine.view(X);
  if (!X.heads) return { shape: X.shape, values: values.slice() };
  const [n, d] = X.shape, d_k = d / X.heads, out = new Float32Array(n * d);
  for (let h = 0; h < X.heads; h++)
    for (let t = 0; t < n; t++) out.set(values.subarray(t * d + h * d_k, t * d + (h + 1) * d_k), (h * n + t) * d_k);
  return { shape: [X.heads, n, d_k], values: out };
}

// One run of an encoder: a token's vectors at the stops, one after the other. The last layer computes this token only.
// plain: the run of this text without switches, whose states before the first change are taken; none for itself.
function run(model, { text, only, first, change }, stops, plain) {
  const n = text.ids.length, { d } = model.embeddings.tokens, from = plain ? first : -1, states = [], seen = new Set();
  const vectors = plain ? plain.vectors.slice() : new Float32Array(stops.length * d);
  const own = (X) => machine.view(X).slice(...(X.shape[0] === n ? [only * d, (only + 1) * d] : []));
  const keep = (stop, X) => {
    change(stop, X);
    seen.add(stop);
    if (stops.includes(stop) && (X.shape.length > 2 || X.shape[1] !== d)) throw new Error(`stops must have ${d} numbers for each token, got ${stop}.`);
    stops.forEach((wanted, i) => wanted === stop && vectors.set(own(X), i * d));
    return X;
  };
  machine.pass(() => {
    let X = from < 0 ? model.embeddings.forward(text.ids, text.segments, inside(keep, "embeddings")) : machine.array([n, d], plain.states[from]);
    for (let i = Math.max(from, 0); i < model.layer.length; i++) {
      if (!plain) states.push(machine.view(X).slice());
      X = model.layer[i].forward(i === model.layer.length - 1 ? machine.array([1, d], own(X)) : X, inside(keep, `layer.${i}`), X);
    }
  });
  return { vectors, states, seen };
}

function among(name, stops, seen) {
  const other = (stops || []).find((stop) => !seen.has(stop));
  if (other !== undefined) throw new Error(`${name} must be stops of this run, got ${other}.`);
}

function arrays(value) {
  if (value instanceof Float32Array) return [value.buffer];
  return value && typeof value === "object" ? Object.values(value).flatMap(arrays) : [];
}

onmessage = ({ data }) => {
  try {
    const value = answers[data.ask](data);
    if (data.id) postMessage({ id: data.id, value }, arrays(value));
  } catch (error) {
    if (!data.id && models[data.name]) models[data.name].error = error; // nobody waits for a part: `finish` tells
    postMessage({ id: data.id, error: error.message });
  }
};
