// The same arithmetic by kernel.wasm. Arrays are {shape, at}: where they stand in its memory, which is a stack.
function Kernel(code) {
  const { memory, ...wasm } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;

  function take(bytes) {
    const at = wasm.take(bytes);
    if (!at) throw new Error("The browser has no memory left for the model.");
    return at;
  }

  function array(shape, values) {
    const X = { shape, at: take(4 * shape.reduce((a, b) => a * b)) };
    if (values) view(X).set(values);
    return X;
  }

  function view(X) {
    return new Float32Array(memory.buffer, X.at, X.shape.reduce((a, b) => a * b));
  }

  function block(size) {
    const base = take(size);
    return { bytes: () => new Uint8Array(memory.buffer, base, size), base };
  }

  const size = (X) => X.shape[0] * X.shape[1];

  function rows(table, ids) {
    const places = take(4 * ids.length), X = array([ids.length, table.d]);
    new Int32Array(memory.buffer, places, ids.length).set(ids);
    wasm.rows(places, ids.length, table.at.whole, table.at.multiple, table.at.step, table.d, X.at);
    return X;
  }

  function add(X, Y) {
    const out = array(X.shape);
    wasm.add(X.at, Y.at, size(X), out.at);
    return out;
  }

  function layer_norm(X, norm) {
    const out = array(X.shape);
    wasm.layer_norm(X.at, ...X.shape, norm.at.gamma, norm.at.beta, norm.eps, out.at);
    return out;
  }

  // Panels of 8 rows: the last one's may not all be there, and what they give is left out.
  function linear(X, map) {
    const [n, d] = X.shape, width = (map.n + 7) & ~7, out = array([n, width]);
    wasm.linear(X.at, n, d, map.at.whole, map.at.multiple, map.at.step, map.longest, map.at.bias, width, out.at);
    if (width === map.n) return out;
    const numbers = view(out);
    for (let t = 1; t < n; t++) numbers.copyWithin(t * map.n, t * width, t * width + map.n);
    return { shape: [n, map.n], at: out.at };
  }

  function activate(X, name) {
    const out = array(X.shape);
    wasm[name](X.at, size(X), out.at);
    return out;
  }

  function attention(Q, K, V, n_heads, causal, texts = 1) {
    const [rows, d] = Q.shape, n = rows / texts, n_keys = K.shape[0] / texts, all = texts * n_heads;
    const scores = array([all, n, n_keys]), weights = array([all, n, n_keys]), heads = array([rows, d]);
    for (let t = 0; t < texts; t++) {
      const q = 4 * t * n * d, k = 4 * t * n_keys * d, a = 4 * t * n_heads * n * n_keys; // where this text begins
      wasm.attention(Q.at + q, K.at + k, V.at + k, n, n_keys, d, n_heads, causal ? 1 : 0, scores.at + a, weights.at + a, heads.at + q);
    }
    return { scores, weights, heads };
  }

  function stack(X, Y) {
    const out = array([X.shape[0] + Y.shape[0], X.shape[1]]), numbers = view(out);
    numbers.set(view(X));
    numbers.set(view(Y), size(X));
    return out;
  }

  // What a run takes is given back at its end.
  function pass(run) {
    const top = take(0);
    try {
      return run();
    } finally {
      wasm.give_back(top);
    }
  }

  return {
    name: "WebAssembly", array, block, rows, add, layer_norm, linear, activate, attention, stack, view, pass, wasm,
    bytes: () => memory.buffer.byteLength,
  };
}
