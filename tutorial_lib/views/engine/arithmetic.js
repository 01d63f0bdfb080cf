// The arithmetic of the live models in plain JavaScript: what each function of kernel.c and train.c does, number by
// number. It is the reference that these are held to, and it runs where a browser has no SIMD. Arrays are {shape,
// values}, with a row for each token. Sums are in 64 bits, what is kept is in 32, or in what Numbers says.
//
// A function that training goes back through has its derivative beside it, NAME_back: from dY, how the loss changes with
// each number of the result, it adds up how it changes with what the function was given. An array has its gradient in d.
function Arithmetic(Numbers = Float32Array) {
  function array(shape, values) {
    return { shape, values: values || new Numbers(shape.reduce((a, b) => a * b)) };
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

  function add_to(X, Y) {
    for (let i = 0; i < X.values.length; i++) X.values[i] += Y.values[i];
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

  // The row's mean and length were taken out of it, so whatever would move only these is taken out of its gradient.
  function layer_norm_back(X, { gamma, beta, eps }, dY, dX) {
    const [n, d] = X.shape;
    for (let t = 0; t < n; t++) {
      const x = X.values.subarray(t * d, (t + 1) * d), dy = dY.values.subarray(t * d, (t + 1) * d);
      let mean = 0, variance = 0, even = 0, along = 0;
      for (let k = 0; k < d; k++) mean += x[k] / d;
      for (let k = 0; k < d; k++) variance += (x[k] - mean) ** 2 / d;
      const deviation = Math.sqrt(variance + eps), normed = (k) => (x[k] - mean) / deviation;
      for (let k = 0; k < d; k++) {
        gamma.d.values[k] += dy[k] * normed(k);
        beta.d.values[k] += dy[k];
        even += (dy[k] * gamma.values[k]) / d;
        along += (dy[k] * gamma.values[k] * normed(k)) / d;
      }
      for (let k = 0; k < d; k++) dX.values[t * d + k] += (dy[k] * gamma.values[k] - even - normed(k) * along) / deviation;
    }
  }

  // x W^T + b
  function linear(X, map) {
    const [n, d] = X.shape, W = widened(map), { bias } = map.parts(), out = array([n, map.n]), x = X.values;
    for (let t = 0; t < n; t++)
      for (let i = 0; i < map.n; i++) {
        let sum = 0;
        for (let k = 0; k < d; k++) sum += x[t * d + k] * W[i * d + k];
        out.values[t * map.n + i] = sum + (bias ? bias[i] : 0);
      }
    return out;
  }

  // dX = dY W, dW = dY^T X, db = the sum of dY's rows
  function linear_back(X, { W, b }, dY, dX) {
    const [n, d] = X.shape, m = dY.shape[1], [x, w, dx, dw] = [X, W, dX, W.d].map(({ values }) => values);
    for (let t = 0; t < n; t++)
      for (let i = 0; i < m; i++) {
        const dy = dY.values[t * m + i];
        if (b) b.d.values[i] += dy;
        for (let k = 0; k < d; k++) {
          dx[t * d + k] += dy * w[i * d + k];
          dw[i * d + k] += dy * x[t * d + k];
        }
      }
  }

  // Abramowitz and Stegun (1964), 7.1.6: a sum of numbers of one sign, so nothing is lost in it.
  function erf(x) {
    if (Math.abs(x) > 6) return Math.sign(x);
    let term = x, sum = x;
    for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k++) sum += term *= (2 * x * x) / (2 * k + 1);
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }

  const activations = {
    gelu: (x) => (x * (1 + erf(x / Math.SQRT2))) / 2,
    gelu_new: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  };

  function activate(X, name) {
    return array(X.shape, X.values.map(activations[name]));
  }

  const slopes = {
    gelu: (x) => (1 + erf(x / Math.SQRT2)) / 2 + (x * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI),
    gelu_new(x) {
      const t = Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3));
      return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x * x);
    },
  };

  function activate_back(X, name, dY, dX) {
    for (let i = 0; i < X.values.length; i++) dX.values[i] += dY.values[i] * slopes[name](X.values[i]);
  }

  // softmax(Q K^T / sqrt(d_k)) V of each head. Q (n, d_model), K and V (n_keys, d_model), the heads side by side. With
  // several texts, one after the other, each is computed alone.
  function attention(Q, K, V, n_heads, causal, texts = 1) {
    const [rows, d_model] = Q.shape, n = rows / texts, n_keys = K.shape[0] / texts, d_k = d_model / n_heads, all = texts * n_heads;
    const scores = array([all, n, n_keys]), weights = array([all, n, n_keys]), heads = array([rows, d_model]);
    each_query(n, d_k, n_heads, texts, (i, first, row, t) => {
      const q = t * n + i, visible = causal ? n_keys - n + i + 1 : n_keys;
      let most = -Infinity, total = 0;
      for (let j = 0; j < n_keys; j++) {
        let sum = 0;
        for (let c = first; c < first + d_k; c++) sum += Q.values[q * d_model + c] * K.values[(t * n_keys + j) * d_model + c];
        scores.values[row * n_keys + j] = j < visible ? sum / Math.sqrt(d_k) : -Infinity;
        most = Math.max(most, scores.values[row * n_keys + j]);
      }
      for (let j = 0; j < n_keys; j++) total += Math.exp(scores.values[row * n_keys + j] - most);
      for (let j = 0; j < n_keys; j++) {
        const a = (weights.values[row * n_keys + j] = Math.exp(scores.values[row * n_keys + j] - most) / total);
        for (let c = first; c < first + d_k; c++) heads.values[q * d_model + c] += a * V.values[(t * n_keys + j) * d_model + c];
      }
    });
    return { scores, weights, heads };
  }

  // For query i of each head of each text: where the head's coordinates begin, and which row of all weights it has.
  function each_query(n, d_k, n_heads, texts, run) {
    for (let t = 0; t < texts; t++)
      for (let h = 0; h < n_heads; h++) for (let i = 0; i < n; i++) run(i, h * d_k, (t * n_heads + h) * n + i, t);
  }

  // What one weight of a row wins, the others lose: dS = A (dA - the mean of dA, weighted by A).
  function attention_back(Q, K, V, weights, n_heads, texts, dY) {
    const [rows, d_model] = Q.shape, n = rows / texts, d_k = d_model / n_heads, dA = new Numbers(n);
    each_query(n, d_k, n_heads, texts, (i, first, row, t) => {
      const q = (t * n + i) * d_model, A = weights.values.subarray(row * n, (row + 1) * n);
      let mean = 0;
      for (let j = 0; j < n; j++) {
        const k = (t * n + j) * d_model;
        dA[j] = 0;
        for (let c = first; c < first + d_k; c++) {
          dA[j] += dY.values[q + c] * V.values[k + c];
          V.d.values[k + c] += A[j] * dY.values[q + c];
        }
        mean += A[j] * dA[j];
      }
      for (let j = 0; j < n; j++) {
        const dS = (A[j] * (dA[j] - mean)) / Math.sqrt(d_k), k = (t * n + j) * d_model; // 0 where A is 0, behind the mask
        for (let c = first; c < first + d_k; c++) {
          Q.d.values[q + c] += dS * K.values[k + c];
          K.d.values[k + c] += dS * Q.values[q + c];
        }
      }
    });
  }

  // -log softmax(row)[id] of each row, 0 where id is -1, as two numbers whose sum it is: log(total) + gap. dX: softmax - 1
  // for the right id, softmax for the others, times share.
  function cross_entropy(X, ids, share, dX) {
    const [n, size] = X.shape, total = array([1, n]), gap = array([1, n]);
    ids.forEach((id, t) => {
      total.values[t] = 1;
      if (id < 0) return;
      const row = X.values.subarray(t * size, (t + 1) * size), most = row.reduce((a, b) => Math.max(a, b));
      total.values[t] = row.reduce((sum, x) => sum + Math.exp(x - most), 0);
      gap.values[t] = most - row[id];
      if (dX) row.forEach((x, i) => { dX.values[t * size + i] = share * (Math.exp(x - most) / total.values[t] - (i === id ? 1 : 0)); });
    });
    return [total, gap];
  }

  // One step of AdamW (Loshchilov and Hutter, 2019): m and v are running means of the gradient and of its square.
  function adamw({ values, d, m, v }, share, rate, decay, beta1, beta2, fix1, fix2) {
    for (let i = 0; i < values.length; i++) {
      const g = share * d.values[i];
      m.values[i] += (1 - beta1) * (g - m.values[i]);
      v.values[i] = beta2 * v.values[i] + (1 - beta2) * g * g;
      values[i] = values[i] * (1 - rate * decay) - (rate * m.values[i]) / fix1 / (Math.sqrt(v.values[i]) / fix2 + 1e-8);
    }
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
    add_to, layer_norm_back, linear_back, activate_back, attention_back, cross_entropy, adamw,
    view: (X) => X.values, // numbers that can be changed
    pass: (run) => run(),
    bytes: () => 0,
  };
}
