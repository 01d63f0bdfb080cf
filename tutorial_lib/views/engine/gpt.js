// A decoder of GPT-2's kind, line by line as in tutorial_lib/gpt.py. Its parts are BERT's; the cache is a plain argument
// and a plain result. Without a table of positions they are rotary, with `frequencies`, one for each pair of coordinates.

class DecoderEmbeddings {
  constructor(weights) {
    this.tokens = weights("tokens");
    this.positions = weights("positions");
  }

  forward(ids, places, keep) {
    const tokens = keep("tokens", machine.rows(this.tokens, ids)); // (n, d_model)
    if (!this.positions) return keep("output", tokens);
    if (Math.max(...places) >= this.positions.n) throw new Error(`The table of positions ends at ${this.positions.n - 1}.`);
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

  forward(X, past, keep, turn) {
    const normed = keep("attention_norm", machine.layer_norm(X, this.attention_norm));
    const [update, now] = this.attention.forward(normed, inside(keep, "attention"), normed, true, past, turn);
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
    this.frequencies = config.frequencies;
  }

  // cache: what an earlier call returned for the tokens before, [keys, values] of each layer; null at the start. places:
  // where the tokens stand, if not one after the other.
  forward(ids, cache = null, keep = nothing, places = null) {
    const n_past = cache ? cache[0][0].shape[0] : 0;
    places = places || Array.from(ids, (_, i) => n_past + i);
    let X = this.embeddings.forward(ids, places, inside(keep, "embeddings"));
    const turn = this.frequencies ? (X) => rotary(X, places, this.frequencies) : undefined;
    const now = this.layer.map((layer, i) => {
      let past;
      [X, past] = layer.forward(X, cache && cache[i], inside(keep, `layer.${i}`), turn);
      return past;
    });
    X = keep("norm", machine.layer_norm(X, this.norm));
    return [keep("logits", machine.linear(X, this.unembedding)), now];
  }
}

// Queries or keys (n, d_model), the heads side by side, turned by their places: as `rotary` in positions.py, in place.
function rotary(X, places, frequencies) {
  const values = machine.view(X), [n, d] = X.shape, half = frequencies.length;
  for (let t = 0; t < n; t++)
    for (let i = 0; i < half; i++) {
      const cos = Math.cos(places[t] * frequencies[i]), sin = Math.sin(places[t] * frequencies[i]);
      for (let k = t * d + i; k < (t + 1) * d; k += 2 * half) {
        const first = values[k], second = values[k + half];
        values[k] = first * cos - second * sin;
        values[k + half] = second * cos + first * sin;
      }
    }
  return X;
}
