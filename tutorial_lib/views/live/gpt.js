// A decoder of GPT-2's kind, line by line as in tutorial_lib/gpt.py. Its parts are BERT's; the cache is a plain argument
// and a plain result.

class DecoderEmbeddings {
  constructor(weights) {
    this.tokens = weights("tokens");
    this.positions = weights("positions");
  }

  forward(ids, places, keep) {
    const tokens = keep("tokens", machine.rows(this.tokens, ids)); // (n, d_model)
    const positions = keep("positions", machine.rows(this.positions, places)); // (n, d_model)
    return keep("output", machine.add(tokens, positions));
  }
}

class DecoderLayer {
  constructor(weights, config) {
    this.attention_norm = weights("attention_norm");
    this.attention = new MultiHeadAttention(within(weights, "attention"), config.n_heads);
    this.norm = weights("norm");
    this.feed_forward = new FeedForward(within(weights, "feed_forward"), config.activation);
  }

  forward(X, past, keep) {
    const normed = keep("attention_norm", machine.layer_norm(X, this.attention_norm));
    const [update, now] = this.attention.forward(normed, inside(keep, "attention"), true, past);
    X = keep("attention_sum", machine.add(X, update));
    const forward = this.feed_forward.forward(keep("norm", machine.layer_norm(X, this.norm)), keep);
    return [keep("output", machine.add(X, forward)), now];
  }
}

class GPT {
  constructor(weights, config) {
    this.embeddings = new DecoderEmbeddings(within(weights, "embeddings"));
    this.layer = Array.from({ length: config.n_layers }, (_, i) => new DecoderLayer(within(weights, `layer.${i}`), config));
    this.norm = weights("norm");
    this.unembedding = weights("unembedding");
  }

  // cache: what an earlier call returned for the tokens before, [keys, values] of each layer; null at the start.
  forward(ids, cache = null, keep = nothing) {
    const n_past = cache ? cache[0][0].shape[0] : 0;
    let X = this.embeddings.forward(ids, Array.from(ids, (_, i) => n_past + i), inside(keep, "embeddings"));
    const now = this.layer.map((layer, i) => {
      let past;
      [X, past] = layer.forward(X, cache && cache[i], inside(keep, `layer.${i}`));
      return past;
    });
    X = keep("norm", machine.layer_norm(X, this.norm));
    return [keep("logits", machine.linear(X, this.unembedding)), now];
  }
}
