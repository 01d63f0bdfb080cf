// The arithmetic of training by train.wasm: kernel.js, with maps whose weights are float32, and each function's derivative.
function TrainingKernel(code) {
  const base = Kernel(code), { wasm, array, view } = base, numbers = (X) => X.shape.reduce((a, b) => a * b);

  function linear(X, { W, b }) {
    const out = array([X.shape[0], W.shape[0]]);
    wasm.linear_float(X.at, ...X.shape, W.at, b ? b.at : 0, W.shape[0], out.at);
    return out;
  }

  function linear_back(X, { W, b }, dY, dX) {
    wasm.linear_back(X.at, ...X.shape, W.at, W.shape[0], dY.at, dX.at, W.d.at, b ? b.d.at : 0);
  }

  const add_to = (X, Y) => wasm.add(X.at, Y.at, numbers(X), X.at);

  function layer_norm_back(X, { gamma, beta, eps }, dY, dX) {
    wasm.layer_norm_back(X.at, ...X.shape, gamma.at, eps, dY.at, dX.at, gamma.d.at, beta.d.at);
  }

  function activate_back(X, name, dY, dX) {
    wasm[`${name}_back`](X.at, numbers(X), dY.at, dX.at);
  }

  // The kernel computes eight coordinates of a head at a time, and would write over the next head's.
  function attention(Q, K, V, n_heads, ...more) {
    const d_k = Q.shape[1] / n_heads;
    if (d_k % 8) throw new Error(`d_model / n_heads must be a multiple of 8, got ${d_k}.`);
    return base.attention(Q, K, V, n_heads, ...more);
  }

  function attention_back(Q, K, V, weights, n_heads, texts, dY) {
    const [rows, d] = Q.shape;
    wasm.attention_back(Q.at, K.at, V.at, weights.at, rows / texts, d, n_heads, texts, dY.at, Q.d.at, K.d.at, V.d.at);
  }

  function cross_entropy(X, ids, share, dX) {
    const [n, size] = X.shape, right = array([1, n]), total = array([1, n]), gap = array([1, n]);
    new Int32Array(view(right).buffer, right.at, n).set(ids);
    wasm.cross_entropy(X.at, n, size, right.at, share, dX ? dX.at : 0, total.at, gap.at);
    return [total, gap];
  }

  function adamw(W, ...more) {
    wasm.adamw(W.at, W.d.at, W.m.at, W.v.at, numbers(W), ...more);
  }

  return { ...base, linear, linear_back, add_to, layer_norm_back, activate_back, attention, attention_back, cross_entropy, adamw };
}
