// BERT, line by line as in tutorial_lib/bert.py: the same names in the same order. `machine` does the arithmetic:
// kernel.js, or arithmetic.js. One text at a time, so there is no padding and no mask.

class Embeddings {
  constructor(weights) {
    this.tokens = weights("tokens");
    this.positions = weights("positions");
    this.segments = weights("segments");
    this.norm = weights("norm");
  }

  forward(ids, segments, keep) {
    let tokens = keep("tokens", machine.rows(this.tokens, ids)); // (n, d_model)
    const positions = keep("positions", machine.rows(this.positions, Array.from(ids.keys()))); // (n, d_model)
    tokens = machine.add(tokens, keep("segments", machine.rows(this.segments, segments))); // (n, d_model)
    const X = machine.layer_norm(keep("sum", machine.add(tokens, positions)), this.norm);
    return keep("output", X); // (n, d_model)
  }
}

class MultiHeadAttention {
  constructor(weights, n_heads) {
    this.n_heads = n_heads;
    this.W_Q = weights("W_Q");
    this.W_K = weights("W_K");
    this.W_V = weights("W_V");
    this.W_O = weights("W_O");
  }

  // memory: what keys and values are made of. past: those of earlier tokens; with them, or with causal, no token sees
  // what follows it. turn: what rotary positions do to queries and keys.
  forward(X, keep, memory = X, causal = false, past = null, turn = (X) => X) {
    const Q = keep("queries", turn(split(machine.linear(X, this.W_Q), this.n_heads)));
    let K = keep("keys", turn(split(machine.linear(memory, this.W_K), this.n_heads)));
    let V = keep("values", split(machine.linear(memory, this.W_V), this.n_heads));
    if (past) [K, V] = [machine.stack(past[0], K), machine.stack(past[1], V)];
    const { scores, weights, heads } = machine.attention(Q, K, V, this.n_heads, causal);
    keep("scores", scores);
    keep("weights", weights);
    const concat = keep("concat", join(keep("heads", split(heads, this.n_heads))));
    return [keep("output", machine.linear(concat, this.W_O)), [K, V]];
  }
}

class FeedForward {
  constructor(weights, activation) {
    this.W_1 = weights("W_1");
    this.W_2 = weights("W_2");
    this.activation = activation;
  }

  forward(X, keep) {
    X = keep("hidden", machine.linear(X, this.W_1)); // (n, d_ff)
    X = keep("activation", machine.activate(X, this.activation));
    return keep("feed_forward", machine.linear(X, this.W_2)); // (n, d_model)
  }
}

class Layer {
  constructor(weights, config) {
    this.attention = new MultiHeadAttention(within(weights, "attention"), config.n_heads);
    this.attention_norm = weights("attention_norm");
    this.feed_forward = new FeedForward(within(weights, "feed_forward"), config.activation);
    this.norm = weights("norm");
  }

  // memory: the states of all tokens, if X has only some of them.
  forward(X, keep, memory = X) {
    let [update] = this.attention.forward(X, inside(keep, "attention"), memory);
    X = keep("attention_norm", machine.layer_norm(keep("attention_sum", machine.add(X, update)), this.attention_norm));
    update = this.feed_forward.forward(X, keep);
    return keep("output", machine.layer_norm(keep("feed_forward_sum", machine.add(X, update)), this.norm));
  }
}

class MaskedLanguageHead {
  constructor(weights, activation) {
    this.W = weights("W");
    this.norm = weights("norm");
    this.decoder = weights("decoder");
    this.activation = activation;
  }

  forward(X) {
    X = machine.layer_norm(machine.activate(machine.linear(X, this.W), this.activation), this.norm);
    return machine.linear(X, this.decoder); // (n, vocab_size)
  }
}

class Bert {
  constructor(weights, config) {
    this.embeddings = new Embeddings(within(weights, "embeddings"));
    this.layer = Array.from({ length: config.n_layers }, (_, i) => new Layer(within(weights, `layer.${i}`), config));
    this.mlm = weights("mlm.W") ? new MaskedLanguageHead(within(weights, "mlm"), config.activation) : null;
  }

  forward(ids, segments, keep = nothing) {
    let X = this.embeddings.forward(ids, segments, inside(keep, "embeddings"));
    this.layer.forEach((layer, i) => {
      X = layer.forward(X, inside(keep, `layer.${i}`));
    });
    if (this.mlm) keep("mlm.logits", this.mlm.forward(X));
    return X;
  }
}

// As in tutorial_lib/trace.py: keep(name, value) sees every value on the way, and hands on what the model goes on with.
const nothing = (name, value) => value;
const inside = (keep, part) => (keep === nothing ? nothing : (name, value) => keep(`${part}.${name}`, value));
const within = (weights, part) => (name) => weights(`${part}.${name}`);

// The heads stand side by side in a row of d_model numbers; `heads` says how many a reader is to tell apart.
const split = (X, heads) => ({ ...X, heads });
const join = (X) => ({ ...X, heads: undefined });

// What a head hands on becomes 0.
function quiet(X, head) {
  const [n, d] = X.shape, d_k = d / X.heads, values = machine.view(X);
  for (let t = 0; t < n; t++) values.fill(0, t * d + head * d_k, t * d + (head + 1) * d_k);
}
