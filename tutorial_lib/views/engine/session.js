// A run of training beside the page: a text becomes tokens, a model is made, learns, writes and is looked into. Random
// numbers are torch's, so a run here is the run of the Python lines that the page shows.
const LEAST = 1000, MOST = 2e6, CHARACTERS = 500; // of a text: characters at least and at most, different ones at most
const ALPHABET = Array.from("abcdefghijklmnopqrstuvwxyz");
const PIECES = 32, REPEATED = 128; // on which the loss is measured; 32 texts of random letters are too easy or too hard by chance

// What a text is cut into: {tokens, encode}. Characters stand in Python's order, that of their numbers.
function Characters(text) {
  const count = new Map();
  for (const character of text) count.set(character, (count.get(character) || 0) + 1);
  let tokens = [...count.keys()];
  if (tokens.length > CHARACTERS) tokens = [...tokens.sort((a, b) => count.get(b) - count.get(a)).slice(0, CHARACTERS - 1).filter((c) => c !== "\ufffd"), "\ufffd"];
  return Vocabulary(tokens.sort((a, b) => a.codePointAt(0) - b.codePointAt(0)), Array.from);
}

// cut: a function from a text to tokens. What is no token becomes \ufffd if that is one, and else is left out.
function Vocabulary(tokens, cut, pieces = tokens) {
  const ids = new Map(tokens.map((token, id) => [token, id])), other = ids.get("\ufffd");
  const encode = (text) => cut(text).map((token) => ids.get(token) ?? other).filter((id) => id !== undefined);
  const missed = (text) => {
    const unknown = [...new Set(cut(text).filter((token) => !ids.has(token)))].slice(0, 20).join(" ");
    return unknown && `Unknown to the model and ${other === undefined ? "left out" : "read as \ufffd"}: ${unknown}`;
  };
  return { tokens, pieces, encode, missed };
}

// As in training/judge.py: what counting reaches on the held-out end of a text, in nats a token.
function baselines(ids, held, size) {
  const pairs = new Map(), first = new Float64Array(size), second = new Float64Array(size).fill(1);
  for (let t = 1; t < ids.length; t++) {
    const pair = ids[t - 1] * size + ids[t];
    pairs.set(pair, (pairs.get(pair) || 0) + 1);
    first[ids[t - 1]]++;
    second[ids[t]]++;
  }
  const all = second.reduce((a, b) => a + b), n = held.length - 1;
  let unigram = 0, bigram = 0;
  for (let t = 1; t <= n; t++) {
    const alone = second[held[t]] / all, pair = pairs.get(held[t - 1] * size + held[t]) || 0;
    unigram -= Math.log(alone) / n;
    bigram -= Math.log((pair + alone) / (first[held[t - 1]] + 1)) / n;
  }
  const levels = { guessing: Math.log(size), "counting tokens": unigram, "counting pairs": bigram };
  return Object.fromEntries(Object.entries(levels).sort((a, b) => b[1] - a[1])); // the highest first
}

// Texts of random letters that begin again after 6 to 15, and for each place the letter to come: -1 where it is new.
function repeats(generator, texts, n) {
  const ids = [], next = [];
  for (let b = 0; b < texts; b++) {
    const period = 6 + generator.below(10), letters = Array.from({ length: period }, () => generator.below(ALPHABET.length));
    for (let t = 0; t < n; t++) {
      ids.push(letters[t % period]);
      next.push(t < period ? -1 : letters[(t + 1) % period]);
    }
  }
  return { ids, next };
}

// The share of the pieces of a text, n tokens each, that another text contains token by token.
function copied(pieces, n, ids) {
  const written = (some) => Array.from(some, (id) => String.fromCharCode(id)).join(""), text = written(ids);
  const starts = Array.from({ length: pieces.length / n }, (_, i) => i * n);
  return starts.filter((at) => text.includes(written(pieces.slice(at, at + n)))).length / starts.length;
}

// As `next`, but only names: those that the story repeats, or only new ones. Each n tokens are read alone.
function only_names({ ids, next }, n, { pieces }, names, told) {
  const seen = new Set(), name = (id) => pieces[id].trim();
  return next.map((id, t) => {
    if (t % n === 0 || pieces[ids[t]] === "\n") seen.clear();
    seen.add(name(ids[t]));
    return names.includes(name(id)) && seen.has(name(id)) === told ? id : -1;
  });
}

class Session {
  // about: kind ("words", "characters" or "repeats"), d_model, n_layers, n_heads, context, batch, seed, and the settings
  // of one_step. text: what it learns from. book: the tokenizer of book-gpt. saved: the weights of a file, by name.
  constructor(about, text, book, saved) {
    const { kind, d_model, n_layers, n_heads, context, batch, seed } = about;
    Object.assign(this, { about, step: 0, generator: Random(seed), end: kind === "words" ? book.ids.get("<|endoftext|>") : 0 });
    this.vocabulary = kind === "words" ? Vocabulary(book.tokens, book.cut, book.pieces) : kind === "repeats" ? Vocabulary(ALPHABET, Array.from) : about.tokens ? Vocabulary(about.tokens, Array.from) : Characters(checked(text));
    const vocab_size = this.vocabulary.tokens.length;
    if (vocab_size < 2) throw new Error(`The text has only one character, “${this.vocabulary.tokens[0]}”, so there is nothing to predict: every loss is 0.`);
    this.config = { vocab_size, d_model, n_layers, n_heads, d_ff: 4 * d_model, n_positions: context, activation: "gelu_new" };
    this.parameters = Parameters(shapes_of(this.config));
    this.model = new GPT(this.parameters.part, this.config);
    saved ? restore(this.parameters, this.config, saved) : initialize(this.parameters, this.config, seed, about.std);
    if (kind === "repeats") {
      this.baselines = { guessing: Math.log(vocab_size) };
      this.loss = (model, generator) => this.loss_of(repeats(generator, batch, context), batch, nothing, model);
      this.judged = repeats(Random(seed + 1), REPEATED, context);
    } else if (text) {
      const ids = Int32Array.from(this.vocabulary.encode(text)), end = Math.floor(0.9 * ids.length), held = ids.subarray(end);
      const room = Math.floor((held.length - 1) / context), some = Math.min(PIECES, room); // pieces of the last tenth, evenly apart
      const pieces = (shift) => Array.from({ length: some }, (_, i) => Math.floor((i * room) / some) * context + shift).flatMap((at) => [...held.subarray(at, at + context)]);
      this.ids = ids.subarray(0, end);
      this.baselines = baselines(this.ids, held, vocab_size);
      this.loss = next_tokens(this.ids, context, batch);
      const judged = (this.judged = { ids: pieces(0), next: pieces(1) });
      this.copied = copied(judged.ids, context, this.ids);
      if (kind === "words") this.names = [true, false].map((told) => // repeated ones, and new ones
        ({ ...judged, next: only_names(judged, context, this.vocabulary, book.names, told) }));
    }
    this.known = new Set(kind === "characters" && text ? text.toLowerCase().match(/\p{L}+/gu) : []);
  }

  loss_of({ ids, next }, texts, keep = nothing, model = this.model) {
    return loss_of(model, ids, next, texts, keep);
  }

  learn(model = this.model) { // one step of training; returns the loss before it
    if (!this.loss) throw new Error("The file has no text: choose one to train again from random weights.");
    return one_step(model, this.parameters, this.loss, this.generator, this.settings, this.step++);
  }

  get settings() {
    return { weight_decay: 0.01, clip: 1, ...this.about };
  }

  // One step, with the last token that the first text of the batch must predict, and a weight of that token: column k of
  // its row in the table of tokens, where the gradient is largest. numbers: one for each line of the table in
  // one_step.html; of AdamW's m and v the old one and the new one.
  follow() {
    const table = this.parameters.named["embeddings.tokens.weight"], [size, d] = table.shape, n = this.about.context - 1;
    const [weights, means, squares] = [table, table.m, table.v].map((X) => machine.view(X).slice()), { pieces } = this.vocabulary;
    let ids, p;
    const heard = { forward: (all, ...more) => {
      const out = this.model.forward(all, ...more);
      ids = all.slice(0, n + 1);
      p = softmax(machine.view(out[0]).slice((n - 1) * size, n * size));
      return out;
    } };
    const loss = this.learn(heard), settings = this.settings, right = ids[n];
    const gradients = machine.view(table.d).slice(right * d, (right + 1) * d);
    const k = gradients.reduce((best, g, i) => (Math.abs(g) > Math.abs(gradients[best]) ? i : best), 0), at = right * d + k;
    const [before, m, v] = [weights, means, squares].map((old) => old[at]);
    const [after, new_m, new_v] = [table, table.m, table.v].map((X) => machine.view(X)[at]);
    const corrected = new_m / (1 - 0.9 ** this.step), root = Math.sqrt(new_v / (1 - 0.95 ** this.step));
    const length = Math.sqrt(this.parameters.all.reduce((sum, W) => sum + square(machine.view(W.d)), 0));
    const share = Math.min(1, settings.clip / (length + 1e-6)), lr = rate(settings, this.step - 1);
    const p_before = p[right], p_after = this.next(ids.slice(0, n))[right];
    const token = [p_before, -Math.log(p_before), 1 - p_before], adamw = [[m, new_m], [v, new_v], corrected, root, lr];
    const nudges = [(-lr * corrected) / (root + 1e-8), -lr * settings.weight_decay * before];
    return {
      loss, read: ids.slice(Math.max(0, n - 12), n).map((id) => pieces[id]).join(""), right: pieces[right], k, share, lr, fell: p_after < p_before, against: gradients[k] * new_m < 0,
      numbers: [...token, before, gradients[k], gradients[k] * share, ...adamw, ...nudges, after, p_after],
    };
  }

  // The loss on text that is never trained on. mute: a head, [layer, head], whose output is set to 0.
  evaluate(mute, judged = this.judged) {
    if (!judged) return null;
    const keep = (stop, X) => {
      if (mute && stop === `layer.${mute[0]}.attention.heads`) quiet(X, mute[1]);
      return X;
    };
    return machine.pass(() => this.loss_of(judged, judged.ids.length / this.about.context, keep));
  }

  next(ids, temperature = 1) { // probabilities of the token after these
    machine.texts = 1;
    return machine.pass(() => {
      const [logits] = this.model.forward(ids.slice(-this.about.context)), [n, size] = logits.shape;
      return softmax(machine.view(logits).slice((n - 1) * size), temperature);
    });
  }

  // What it writes after a text, token by token.
  *write(text, count, dice = Math.random) {
    const ids = [this.end, ...this.vocabulary.encode(text)];
    if (this.about.kind !== "words" && ids.length > 1) ids.shift();
    for (let i = 0; i < count; i++) {
      const p = this.next(ids, 0.7);
      let left = dice(), id = 0;
      while (id < p.length - 1 && (left -= p[id]) > 0) id++;
      ids.push(id);
      yield this.vocabulary.pieces[id];
    }
  }

  // A sample, always with the same random numbers, the loss, how many of the words written occur in the text, and what
  // repeated names cost, and new ones.
  sample() {
    const { kind } = this.about, text = [...this.write(kind === "repeats" ? "qjwxzkqj" : "", kind === "words" ? 50 : kind === "repeats" ? 24 : 160, Random(1).share)].join("");
    const words = text.toLowerCase().match(/\p{L}+/gu) || [], real = words.filter((word) => this.known.has(word)).length;
    const names = this.names && this.names.map((judged) => this.evaluate(null, judged));
    return { step: this.step, held: this.evaluate(), text: kind === "repeats" ? `after qjwxzkqj: ${text}` : text, names, words: this.known.size ? real / (words.length || 1) : null };
  }

  // The tokens of a text and, of each layer, the weights (n_heads, n, n) of its heads.
  look(text) {
    const ids = this.vocabulary.encode(text).slice(0, this.about.context), weights = [];
    machine.texts = 1;
    if (ids.length) machine.pass(() => this.model.forward(ids, null, (stop, X) => {
      if (/attention\.weights$/.test(stop)) weights.push(machine.view(X).slice());
      return X;
    }));
    return { tokens: ids.map((id) => this.vocabulary.pieces[id]), weights };
  }

  // The model as a file of weights, with what Python and this page need to read it.
  save() {
    const { vocab_size, d_model, n_layers, n_heads, d_ff, n_positions, activation } = this.config;
    const config = { model_type: "gpt2", vocab_size, n_embd: d_model, n_layer: n_layers, n_head: n_heads, n_inner: d_ff, n_positions, activation_function: activation };
    const about = { ...this.about, tokens: this.vocabulary.tokens }, note = { format: "pt", config: JSON.stringify(config), about: JSON.stringify(about) };
    return write_safetensors(as_gpt2(this.parameters, this.config), note);
  }
}

function checked(text) {
  const n = Array.from(text).length;
  if (n >= LEAST && n <= MOST) return text;
  throw new Error(n ? `The text has ${n.toLocaleString("en")} character${n > 1 ? "s" : ""}; it needs ${n < LEAST ? `at least ${LEAST.toLocaleString("en")}` : `at most ${MOST.toLocaleString("en")}`}.` : "There is no text yet: paste one, or drop a file.");
}

function softmax(z, temperature = 1) {
  const most = z.reduce((a, b) => Math.max(a, b)), p = z.map((x) => Math.exp((x - most) / temperature)), sum = p.reduce((a, b) => a + b);
  return p.map((x) => x / sum);
}

// ---- Files that GPT.from_pretrained and transformers read: GPT-2's names, its matrices by columns, W_Q, W_K, W_V in one

function gpt2_names({ n_layers }) {
  const pair = (theirs, ours) => ["weight", "bias"].map((end) => [`transformer.${theirs}.${end}`, ours.map((name) => `${name}.${end}`)]);
  const layer = (i) => [
    ...pair(`h.${i}.ln_1`, [`layer.${i}.attention_norm`]),
    ...pair(`h.${i}.attn.c_attn`, ["W_Q", "W_K", "W_V"].map((name) => `layer.${i}.attention.${name}`)),
    ...pair(`h.${i}.attn.c_proj`, [`layer.${i}.attention.W_O`]),
    ...pair(`h.${i}.ln_2`, [`layer.${i}.norm`]),
    ...pair(`h.${i}.mlp.c_fc`, [`layer.${i}.feed_forward.W_1`]),
    ...pair(`h.${i}.mlp.c_proj`, [`layer.${i}.feed_forward.W_2`]),
  ];
  const tables = [["wte", "tokens"], ["wpe", "positions"]].map(([theirs, ours]) => [`transformer.${theirs}.weight`, [`embeddings.${ours}.weight`]]);
  return [...tables, ...Array.from({ length: n_layers }, (_, i) => layer(i)).flat(), ...pair("ln_f", ["norm"])];
}

// Calls each(place in ours, place in theirs) for all numbers of our parameters that are one array of theirs.
function places(theirs, parts, each) {
  const turned = /\.c_\w+\.weight$/.test(theirs), rows = parts.reduce((sum, W) => sum + W.shape[0], 0);
  let first = 0;
  for (const W of parts) {
    const [n, d] = W.shape;
    for (let i = 0; i < n; i++) for (let k = 0; k < d; k++) each(W, i * d + k, turned ? k * rows + first + i : first * d + i * d + k);
    first += n;
  }
}

function as_gpt2({ named }, config) {
  return Object.fromEntries(gpt2_names(config).map(([theirs, ours]) => {
    const parts = ours.map((name) => named[name]), numbers = parts.map(machine.view), [n, d] = parts[0].shape;
    const all = numbers.reduce((sum, { length }) => sum + length, 0), values = new Float32Array(all);
    places(theirs, parts, (W, own, their) => { values[their] = numbers[parts.indexOf(W)][own]; });
    return [theirs, { shape: theirs.endsWith("bias") || n === 1 ? [all] : /\.c_/.test(theirs) ? [d, all / d] : [n, d], values }];
  }));
}

function restore({ named }, config, saved) {
  for (const [theirs, ours] of gpt2_names(config)) {
    const parts = ours.map((name) => named[name]), numbers = parts.map(machine.view), all = numbers.reduce((sum, { length }) => sum + length, 0);
    if (!saved[theirs] || saved[theirs].values.length !== all) throw new Error(`The file lacks ${theirs}, or it has another shape.`);
    places(theirs, parts, (W, own, their) => { numbers[parts.indexOf(W)][own] = saved[theirs].values[their]; });
  }
}
