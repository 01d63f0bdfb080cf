// The arithmetic of the live models in plain JavaScript: what each function of kernel.c does, number by number. It is
// the reference that the kernel is held to, and it runs where a browser has no SIMD. Arrays are {shape, values}, with a
// row for each token. Sums are in 64 bits, what is kept is in 32.
function Arithmetic() {
  function array(shape, values) {
    return { shape, values: values || new Float32Array(shape.reduce((a, b) => a * b)) };
  }

  // A model's weights, as they stand in its file.
  function block(size) {
    const bytes = new Uint8Array(size);
    return { bytes: () => bytes, base: 0 };
  }

  // w[n][k] = step[n] * multiple[n][k / 32] * whole[n][k]
  function widened(table) {
    if (table.values) return table.values;
    const { n, d, packed } = table, { whole, multiple, step } = table.parts();
    table.values = new Float32Array(n * d);
    for (let i = 0; i < n; i++)
      for (let k = 0; k < d; k++) table.values[i * d + k] = step[i] * multiple[place(packed, d / 32, i, k >> 5, 1)] * whole[place(packed, d, i, k, 2)];
    return table.values;
  }

  // Where number k of row i stands: row after row, or in panels of 8 rows whose `together` numbers stand side by side.
  function place(packed, d, i, k, together) {
    if (!packed) return i * d + k;
    return (i >> 3) * 8 * d + (Math.floor(k / together) * 8 + (i & 7)) * together + (k % together);
  }

  function rows(table, ids) {
    const { d } = table, { whole, multiple, step } = table.parts(), X = array([ids.length, d]);
    ids.forEach((id, t) => {
      for (let k = 0; k < d; k++) X.values[t * d + k] = step[id] * multiple[id * (d / 32) + (k >> 5)] * whole[id * d + k];
    });
    return X;
  }

  function add(X, Y) {
    return array(X.shape, X.values.map((x, i) => x + Y.values[i]));
  }

  function layer_norm(X, norm) {
    const [n, d] = X.shape, { gamma, beta } = norm.parts(), out = array([n, d]);
    for (let t = 0; t < n; t++) {
      const x = X.values.subarray(t * d, (t + 1) * d);
      let mean = 0, variance = 0;
      for (let k = 0; k < d; k++) mean += x[k] / d;
      for (let k = 0; k < d; k++) variance += (x[k] - mean) ** 2 / d;
      for (let k = 0; k < d; k++) out.values[t * d + k] = ((x[k] - mean) / Math.sqrt(variance + norm.eps)) * gamma[k] + beta[k];
    }
    return out;
  }

  // x W^T + b
  function linear(X, map) {
    const [n, d] = X.shape, W = widened(map), { bias } = map.parts(), out = array([n, map.n]);
    for (let t = 0; t < n; t++)
      for (let i = 0; i < map.n; i++) {
        let sum = 0;
        for (let k = 0; k < d; k++) sum += X.values[t * d + k] * W[i * d + k];
        out.values[t * map.n + i] = sum + bias[i];
      }
    return out;
  }

  // Abramowitz and Stegun (1964), 7.1.26: off by 1.5e-7 at most.
  function erf(x) {
    const t = 1 / (1 + 0.3275911 * Math.abs(x));
    const p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return Math.sign(x) * (1 - p * Math.exp(-x * x));
  }

  const activations = {
    gelu: (x) => (x * (1 + erf(x / Math.SQRT2))) / 2,
    gelu_new: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  };

  function activate(X, name) {
    return array(X.shape, X.values.map(activations[name]));
  }

  // softmax(Q K^T / sqrt(d_k)) V of each head. Q (n, d_model), K and V (n_keys, d_model), the heads side by side.
  function attention(Q, K, V, n_heads, causal) {
    const [n, d_model] = Q.shape, n_keys = K.shape[0], d_k = d_model / n_heads;
    const scores = array([n_heads, n, n_keys]), weights = array([n_heads, n, n_keys]), heads = array([n, d_model]);
    for (let h = 0; h < n_heads; h++)
      for (let i = 0; i < n; i++) {
        const row = (h * n + i) * n_keys, visible = causal ? n_keys - n + i + 1 : n_keys;
        let most = -Infinity, total = 0;
        for (let j = 0; j < n_keys; j++) {
          let sum = 0;
          for (let c = h * d_k; c < (h + 1) * d_k; c++) sum += Q.values[i * d_model + c] * K.values[j * d_model + c];
          scores.values[row + j] = j < visible ? sum / Math.sqrt(d_k) : -Infinity;
          most = Math.max(most, scores.values[row + j]);
        }
        for (let j = 0; j < n_keys; j++) total += Math.exp(scores.values[row + j] - most);
        for (let j = 0; j < n_keys; j++) {
          weights.values[row + j] = Math.exp(scores.values[row + j] - most) / total;
          for (let c = h * d_k; c < (h + 1) * d_k; c++) heads.values[i * d_model + c] += weights.values[row + j] * V.values[j * d_model + c];
        }
      }
    return { scores, weights, heads };
  }

  // The rows of both, one after the other.
  function stack(X, Y) {
    const out = array([X.shape[0] + Y.shape[0], X.shape[1]]);
    out.values.set(X.values);
    out.values.set(Y.values, X.values.length);
    return out;
  }

  return {
    name: "plain JavaScript", array, block, rows, add, layer_norm, linear, activate, attention, stack,
    view: (X) => X.values, // numbers that can be changed
    pass: (run) => run(),
    bytes: () => 0,
  };
}
