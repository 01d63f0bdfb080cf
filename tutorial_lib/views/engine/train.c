// What training needs besides kernel.c, in float32: products of matrices and each function's derivative, as arithmetic.js
// has them number by number. Without fused or relaxed instructions: every machine gets the same bits as every other.
// `compile_kernel` makes train.wasm, which has all of kernel.c, too.

#include "kernel.c"

// ---- Y += X W, whose X may be read by columns: number k of its row i is x[i * down + k * right].

// `rows` rows of Y, of 8 columns each.
INLINE void block(int rows, const float *x, long down, long right, const float *w, long stride, int n, float *y, long width,
                  int columns) {
  V zero = ALL(0.f), sum[4][2] = {{zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}};
#pragma nounroll
  for (int k = 0; k < n; k++, x += right, w += stride) {
    V first = LOAD(w), second = LOAD(w + 4);
#pragma unroll
    for (int i = 0; i < rows; i++) {
      V all = wasm_v128_load32_splat(x + i * down);
      sum[i][0] = ADD(sum[i][0], MUL(all, first));
      sum[i][1] = ADD(sum[i][1], MUL(all, second));
    }
  }
#pragma unroll
  for (int i = 0; i < rows; i++, y += width) {
    if (columns == 8) {
      STORE(y, ADD(LOAD(y), sum[i][0]));
      STORE(y + 4, ADD(LOAD(y + 4), sum[i][1]));
    } else {
      float some[8];
      STORE(some, sum[i][0]);
      STORE(some + 4, sum[i][1]);
      for (int j = 0; j < columns; j++) y[j] += some[j];
    }
  }
}

// All rows of Y, of 8 columns each; of the last block there may be fewer.
static void strip(const float *x, long down, long right, const float *w, long stride, int n, float *y, long width, int rows,
                  int columns) {
  int i = 0;
  for (; i + 4 <= rows; i += 4) block(4, x + i * down, down, right, w, stride, n, y + i * width, width, columns);
  if (rows - i == 3) block(3, x + i * down, down, right, w, stride, n, y + i * width, width, columns);
  if (rows - i == 2) block(2, x + i * down, down, right, w, stride, n, y + i * width, width, columns);
  if (rows - i == 1) block(1, x + i * down, down, right, w, stride, n, y + i * width, width, columns);
}

enum { PIECE = 256 };  // of a sum: so many rows of W stay in the cache

// W (n, columns): rows of `stride` numbers. The last columns, if they are fewer than 8, are copied beside zeros.
static void product(const float *x, long down, long right, const float *w, long stride, float *y, long width, int rows, int n,
                    int columns) {
  float *panel = take(PIECE * 8 * 4);
  for (int from = 0; from < n; from += PIECE, x += PIECE * right, w += PIECE * stride) {
    int some = n - from < PIECE ? n - from : PIECE, j = 0;
    for (; j + 8 <= columns; j += 8) strip(x, down, right, w + j, stride, some, y + j, width, rows, 8);
    if (j == columns) continue;
    for (int k = 0; k < some; k++)
      for (int c = 0; c < 8; c++) panel[k * 8 + c] = j + c < columns ? w[k * stride + j + c] : 0;
    strip(x, down, right, panel, 8, some, y + j, width, rows, columns - j);
  }
  give_back(panel);
}

// Y (rows, columns) += X W^T, W (columns, n): 8 rows of W at a time become columns of a panel.
static void transposed(const float *x, long down, const float *w, long stride, float *y, long width, int rows, int n,
                       int columns) {
  float *panel = take((long)n * 8 * 4);
  for (int j = 0; j < columns; j += 8) {
    for (int c = 0; c < 8; c++)
      for (int k = 0; k < n; k++) panel[k * 8 + c] = j + c < columns ? w[(j + c) * stride + k] : 0;
    strip(x, down, 1, panel, 8, n, y + j, width, rows, columns - j < 8 ? columns - j : 8);
  }
  give_back(panel);
}

// ---- A linear map: x (n, d), w (m, d), out (n, m). bias: 0 where there is none.

void EXPORT(linear_float)(const float *x, int n, int d, const float *w, const float *bias, int m, float *out) {
  for (int t = 0; t < n; t++)
    if (bias) __builtin_memcpy(out + (long)t * m, bias, m * 4);
    else __builtin_memset(out + (long)t * m, 0, m * 4);
  transposed(x, d, w, d, out, m, n, d, m);
}

void EXPORT(linear_back)(const float *x, int n, int d, const float *w, int m, const float *dy, float *dx, float *dw, float *db) {
  product(dy, m, 1, w, d, dx, d, n, m, d);
  product(dy, 1, m, x, d, dw, d, m, n, d);
  if (!db) return;
  for (int t = 0; t < n; t++, dy += m) {
    int i = 0;
    for (; i + 4 <= m; i += 4) STORE(db + i, ADD(LOAD(db + i), LOAD(dy + i)));
    for (; i < m; i++) db[i] += dy[i];
  }
}

void EXPORT(layer_norm_back)(const float *x, int n, int d, const float *gamma, float eps, const float *dy, float *dx,
                             float *dgamma, float *dbeta) {
  for (int t = 0; t < n; t++, x += d, dy += d, dx += d) {
    V mean = mean_of(x, d), factor = norm_factor_of(x, d, mean, eps), g = ALL(0.f), gx = ALL(0.f);
    for (int k = 0; k < d; k += 4) {
      V normed = MUL(factor, SUB(LOAD(x + k), mean)), by = LOAD(dy + k), own = MUL(by, LOAD(gamma + k));
      STORE(dgamma + k, ADD(LOAD(dgamma + k), MUL(by, normed)));
      STORE(dbeta + k, ADD(LOAD(dbeta + k), by));
      g = ADD(g, own);
      gx = ADD(gx, MUL(own, normed));
    }
    V even = ALL(sum_of(g) / d), along = ALL(sum_of(gx) / d);
    for (int k = 0; k < d; k += 4) {
      V normed = MUL(factor, SUB(LOAD(x + k), mean)), own = MUL(LOAD(dy + k), LOAD(gamma + k));
      STORE(dx + k, ADD(LOAD(dx + k), MUL(factor, SUB(SUB(own, even), MUL(normed, along)))));
    }
  }
}

void EXPORT(gelu_back)(const float *x, int size, const float *dy, float *dx) {
  for (int i = 0; i < size; i += 4) {
    V v = LOAD(x + i), half = ALL(.5f);
    V below = MUL(half, ADD(ALL(1.f), erf_of(MUL(v, ALL(.70710678118654752f)))));
    V density = MUL(ALL(.3989422804014327f), exp_of(MUL(v, MUL(v, ALL(-.5f)))));
    STORE(dx + i, ADD(LOAD(dx + i), MUL(LOAD(dy + i), ADD(below, MUL(v, density)))));
  }
}

void EXPORT(gelu_new_back)(const float *x, int size, const float *dy, float *dx) {
  V c = ALL(.7978845608028654f), half = ALL(.5f), one = ALL(1.f);
  for (int i = 0; i < size; i += 4) {
    V v = LOAD(x + i), square = MUL(v, v);
    V t = tanh_of(MUL(c, ADD(v, MUL(ALL(.044715f), MUL(v, square)))));
    V slope = MUL(c, ADD(one, MUL(ALL(.134145f), square)));
    V rest = MUL(MUL(MUL(half, v), SUB(one, MUL(t, t))), slope);
    STORE(dx + i, ADD(LOAD(dx + i), MUL(LOAD(dy + i), ADD(MUL(half, ADD(one, t)), rest))));
  }
}

// ---- Attention. One text and head after the other: its n rows of q, k, v and dy begin `d` numbers apart.

void EXPORT(attention_back)(const float *q, const float *k, const float *v, const float *weights, int n, int d, int heads,
                            int texts, const float *dy, float *dq, float *dk, float *dv) {
  int d_k = d / heads;
  float *da = take((long)n * n * 4), scale = 1 / __builtin_sqrtf(d_k);
  for (int t = 0; t < texts; t++)
    for (int h = 0; h < heads; h++, weights += n * n) {
      long at = (long)t * n * d + h * d_k;
      product(weights, 1, n, dy + at, d, dv + at, d, n, n, d_k);
      __builtin_memset(da, 0, (long)n * n * 4);
      transposed(dy + at, d, v + at, d, da, n, n, d_k, n);
      for (int i = 0; i < n; i++) {
        const float *a = weights + i * n;
        float *row = da + i * n;
        for (int twice = 0; twice < 2; twice++) {  // the sum of a is 1 only up to rounding: once leaves some of the mean
          V sum = ALL(0.f);
          int j = 0;
          for (; j + 4 <= n; j += 4) sum = ADD(sum, MUL(LOAD(a + j), LOAD(row + j)));
          float mean = sum_of(sum);
          for (; j < n; j++) mean += a[j] * row[j];
          for (j = 0; j < n; j++) row[j] -= mean;
        }
        for (int j = 0; j < n; j++) row[j] *= scale * a[j];  // dS; where a is 0, behind the mask, it is 0
      }
      product(da, n, 1, k + at, d, dq + at, d, n, n, d_k);
      product(da, 1, n, q + at, d, dk + at, d, n, n, d_k);
    }
  give_back(da);
}

// ---- The loss, and a step

// As in arithmetic.js: for each row with an id, the sum of exp and how far the id lies below the largest. dx may be 0.
void EXPORT(cross_entropy)(const float *x, int n, int size, const int32_t *ids, float share, float *dx, float *total, float *gap) {
  float *row = take((size + 3l) * 4);
  for (int t = 0; t < n; t++, x += size, dx += dx ? size : 0) {
    total[t] = 1;
    gap[t] = 0;
    if (ids[t] < 0) continue;
    float most = x[0];
    for (int i = 1; i < size; i++) most = x[i] > most ? x[i] : most;
    for (int i = 0; i < size; i++) row[i] = x[i] - most;
    for (int i = size; i & 3; i++) row[i] = -1e30f;
    V sum = ALL(0.f);
    for (int i = 0; i < size; i += 4) {
      V power = exp_of(LOAD(row + i));
      STORE(row + i, power);
      sum = ADD(sum, power);  // beyond the row it is e^-87
    }
    total[t] = sum_of(sum);
    gap[t] = most - x[ids[t]];
    if (!dx) continue;
    float factor = share / total[t];
    for (int i = 0; i < size; i++) dx[i] = factor * row[i];
    dx[ids[t]] -= share;
  }
  give_back(row);
}

void EXPORT(adamw)(float *w, const float *d, float *m, float *v, int size, float share, float rate, float decay, float beta1,
                   float beta2, float fix1, float fix2) {
  V keep = ALL(1 - rate * decay), step = ALL(rate / fix1), a = ALL(1 - beta1), b = ALL(1 - beta2);
  for (int i = 0; i < size; i += 4) {
    V g = MUL(ALL(share), LOAD(d + i)), mean = LOAD(m + i);
    mean = ADD(mean, MUL(a, SUB(g, mean)));
    V square = ADD(MUL(ALL(beta2), LOAD(v + i)), MUL(b, MUL(g, g)));
    STORE(m + i, mean);
    STORE(v + i, square);
    V root = ADD(wasm_f32x4_div(wasm_f32x4_sqrt(square), ALL(fix2)), ALL(1e-8f));
    STORE(w + i, SUB(MUL(keep, LOAD(w + i)), wasm_f32x4_div(MUL(step, mean), root)));
  }
}
