// Training, as in tutorial_lib/training/loop.py. The model is the one that answers on the page, gpt.js or bert.js: it
// calls a machine for each step of its arithmetic. This machine writes down what it did and, once the loss is known, goes
// back over it from the last step to the first, as torch's `backward` does. Each function has its derivative beside it:
// how the loss changes with what it was given, from how it changes with what it returned. B texts of n tokens are N = B n
// rows, one after the other.
function Training(base) {
  let steps = null; // how to go back over each step; null while nothing is learned

  // Y, with room for its gradient. back adds up the gradients of what Y was made of.
  function then(Y, back) {
    if (!steps) return Y;
    Y.d = zeros(Y.shape);
    steps.push(() => back(Y.d));
    return Y;
  }

  function zeros(shape) {
    const X = base.array(shape);
    base.view(X).fill(0);
    return X;
  }

  function rows({ W }, ids) { // (N) -> (N, d_model)
    const d = W.shape[1], X = base.array([ids.length, d]), [x, w] = [X, W].map(base.view);
    ids.forEach((id, t) => {
      for (let k = 0; k < d; k++) x[t * d + k] = w[id * d + k];
    });
    return then(X, (dX) => { // a row of the table hears from all places where it was used
      const [dx, dw] = [dX, W.d].map(base.view);
      ids.forEach((id, t) => {
        for (let k = 0; k < d; k++) dw[id * d + k] += dx[t * d + k];
      });
    });
  }

  function add(X, Y) { // a sum hands its gradient on to both
    return then(base.add(X, Y), (dsum) => {
      base.add_to(X.d, dsum);
      base.add_to(Y.d, dsum);
    });
  }

  function layer_norm(X, norm) { // (N, d) -> (N, d)
    return then(base.layer_norm(X, norm), (dY) => base.layer_norm_back(X, norm, dY, X.d));
  }

  function linear(X, map) { // X W^T + b: (N, d_in) -> (N, d_out)
    return then(base.linear(X, map), (dY) => base.linear_back(X, map, dY, X.d)); // dX = dY W, dW = dY^T X
  }

  function activate(X, name) { // (N, d_ff) -> (N, d_ff)
    return then(base.activate(X, name), (dY) => base.activate_back(X, name, dY, X.d));
  }

  function attention(Q, K, V, n_heads, causal) { // (N, d_model) three times -> (N, d_model), the heads side by side
    const { texts } = machine, { scores, weights, heads } = base.attention(Q, K, V, n_heads, causal, texts); // (B n_heads, n, n)
    return { scores, weights, heads: then(heads, (dY) => base.attention_back(Q, K, V, weights, n_heads, texts, dY)) };
  }

  // The mean of -log softmax(logits)[id] over the rows whose id is not -1: (N, vocab_size), (N) -> a number.
  function cross_entropy(logits, ids) {
    const share = 1 / ids.filter((id) => id >= 0).length, [total, gap] = base.cross_entropy(logits, ids, share, steps && logits.d).map(base.view);
    return share * ids.reduce((sum, _, t) => sum + Math.log(total[t]) + gap[t], 0);
  }

  // The loss that `run` computes; how it changes with each parameter is added to that parameter's d.
  function backward(run) {
    return base.pass(() => {
      steps = [];
      try {
        const loss = run();
        steps.reverse().forEach((back) => back());
        return loss;
      } finally {
        steps = null;
      }
    });
  }

  const { array, view, pass, stack, adamw, bytes } = base;
  const machine = { name: base.name, texts: 1, array, zeros, view, pass, stack, rows, add, layer_norm, linear, activate, attention, cross_entropy, backward, adamw, bytes };
  return machine;
}

// ---- The weights

// The parameters of a decoder with their shapes, in Python's order.
function shapes_of({ vocab_size, d_model, n_layers, d_ff, n_positions }) {
  const linear = (name, d_in, d_out) => [[`${name}.weight`, d_out, d_in], [`${name}.bias`, d_out]];
  const norm = (name) => [[`${name}.weight`, d_model], [`${name}.bias`, d_model]];
  const layer = (i) => [
    ...norm(`layer.${i}.attention_norm`),
    ...["W_Q", "W_K", "W_V", "W_O"].flatMap((name) => linear(`layer.${i}.attention.${name}`, d_model, d_model)),
    ...norm(`layer.${i}.norm`),
    ...linear(`layer.${i}.feed_forward.W_1`, d_model, d_ff),
    ...linear(`layer.${i}.feed_forward.W_2`, d_ff, d_model),
  ];
  return [
    ["embeddings.tokens.weight", vocab_size, d_model],
    ["embeddings.positions.weight", n_positions, d_model],
    ...Array.from({ length: n_layers }, (_, i) => layer(i)).flat(),
    ...norm("norm"),
  ];
}

// Parameters, all 0: W or b, with its gradient d, and m and v, which AdamW keeps of it. eps: that of LayerNorm.
function Parameters(shapes, eps = 1e-5) {
  const all = shapes.map(([name, ...shape]) => {
    const [W, d, m, v] = Array.from({ length: 4 }, () => machine.zeros(shape.length > 1 ? shape : [1, ...shape]));
    return Object.assign(W, { name, d, m, v, decays: shape.length > 1 });
  });
  const named = Object.fromEntries(all.map((parameter) => [parameter.name, parameter]));

  // What a part of the model computes with, as kernel.js and arithmetic.js want it. The unembedding is tied.
  function part(name) {
    const tied = /^(unembedding|mlm\.decoder)$/.test(name);
    const W = named[`${tied ? "embeddings.tokens" : name}.weight`], b = named[`${name}.bias`];
    if (!W) return undefined;
    if (W.decays) return { W, b, n: W.shape[0], values: W.values, parts: () => ({ bias: b && b.values }) };
    const parts = { gamma: W.values, beta: b.values };
    return { gamma: W, beta: b, eps, at: { gamma: W.at, beta: b.at }, parts: () => parts };
  }

  return { all, named, part };
}

// ---- torch's random numbers, so that a seed gives the weights and the batches that it gives in Python

function Random(seed) { // MT19937
  const state = new Uint32Array(624);
  let at = 624;
  state[0] = seed;
  for (let i = 1; i < 624; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;

  function refill() {
    for (let i = 0; i < 624; i++) {
      const y = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
      state[i] = state[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    at = 0;
  }

  function whole() { // 32 bits
    if (at === 624) refill();
    let y = state[at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  const share = () => (whole() & 0xffffff) / 0x1000000; // 24 bits, from 0 to 1

  // As torch.nn.init.normal_: sixteen numbers at a time. Where a group of sixteen is left over, the last sixteen are drawn again.
  function normal(values, std) {
    const groups = Array.from({ length: values.length >> 4 }, (_, i) => 16 * i);
    for (let i = 0; i < values.length; i++) values[i] = share();
    groups.forEach(turn);
    if (values.length % 16 === 0) return;
    for (let i = values.length - 16; i < values.length; i++) values[i] = share();
    turn(values.length - 16);

    function turn(i) { // Box and Muller (1958)
      for (let j = i; j < i + 8; j++) {
        const radius = Math.sqrt(-2 * Math.log(1 - values[j])), angle = 2 * Math.PI * values[j + 8];
        values[j] = radius * Math.cos(angle) * std;
        values[j + 8] = radius * Math.sin(angle) * std;
      }
    }
  }

  return { share, normal, below: (n) => whole() % n, skip: (n) => { while (n--) whole(); } };
}

// The first weights of a decoder, as torch.manual_seed(seed) and spread(GPT(config), std) draw them.
function initialize({ all, named }, { n_layers }, seed, std) {
  const random = Random(seed), drawn = (n) => n + (n % 16 ? 16 : 0), values = (W) => machine.view(W);
  for (const W of all) // torch's modules draw weights as they are made, which GPT draws again
    if (!/norm\.(weight|bias)$/.test(W.name)) random.skip(W.name.startsWith("embeddings") ? drawn(values(W).length) : values(W).length);
  random.skip(values(named["embeddings.tokens.weight"]).length); // the unembedding's, before it is tied
  for (const W of all) {
    if (W.decays) random.normal(values(W), 0.02);
    else values(W).fill(W.name.endsWith("bias") ? 0 : 1);
  }
  for (const W of all) if (/(W_O|W_2)\.weight$/.test(W.name)) random.normal(values(W), 0.02 / Math.sqrt(2 * n_layers));
  for (const W of all) if (W.decays) values(W).forEach((x, i, w) => { w[i] = x * Math.fround(std / 0.02); });
}

// ---- As in training/loop.py

// settings: n_steps, lr, warmup, weight_decay, clip.
function rate({ n_steps, lr, warmup }, step) {
  if (step < warmup) return (lr * (step + 1)) / warmup;
  const done = (step - warmup) / Math.max(1, n_steps - warmup);
  return lr * (0.55 + 0.45 * Math.cos(Math.PI * Math.min(done, 1)));
}

// Move the parameters down the gradient once. Returns the loss before.
function one_step(model, parameters, loss, generator, settings, step) {
  for (const { d } of parameters.all) machine.view(d).fill(0);
  const value = machine.backward(() => loss(model, generator));
  const length = Math.sqrt(parameters.all.reduce((sum, { d }) => sum + square(machine.view(d)), 0));
  for (const [what, number] of [["the loss", value], ["the length of the gradient", length]])
    if (!Number.isFinite(number)) throw new Error(`${what} is ${number} at step ${step}: try a smaller learning rate.`);
  const share = Math.min(1, settings.clip / (length + 1e-6)); // clips the gradient's length
  const [beta1, beta2] = [0.9, 0.95];
  const fixes = [1 - beta1 ** (step + 1), Math.sqrt(1 - beta2 ** (step + 1))]; // the running means begin at 0
  for (const W of parameters.all) {
    const decay = W.decays ? settings.weight_decay : 0;
    machine.adamw(W, share, rate(settings, step), decay, beta1, beta2, ...fixes);
  }
  return value;
}

function square(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * values[i];
  return sum;
}

// A loss: mean -log p of each next token, over random pieces of a long text (CLM).
function next_tokens(tokens, context, batch_size) {
  return (model, generator) => {
    const starts = Array.from({ length: batch_size }, () => generator.below(tokens.length - context));
    const pieces = (shift) => starts.flatMap((start) => Array.from(tokens.subarray(start + shift, start + shift + context)));
    return loss_of(model, pieces(0), pieces(1), batch_size);
  };
}

// Mean -log p of `next` over B texts, one after the other: (N), (N) -> a number.
function loss_of(model, ids, next, texts, keep = nothing) {
  const places = ids.map((_, t) => t % (ids.length / texts));
  machine.texts = texts;
  const [logits] = model.forward(ids, null, keep, places); // (N, vocab_size)
  return machine.cross_entropy(logits, next);
}
