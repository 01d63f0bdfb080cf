// The live models' arithmetic in WebAssembly SIMD, one thread. Each function is one line of bert.js: what
// arithmetic.js does number by number, done four or eight numbers at a time, in the same order of steps.
//
// A matrix stays as it was rounded, in 8 bits: w[n][k] = step[n] * multiple[n][k / 32] * whole[n][k]. What it is
// multiplied with is rounded to 16 bits, a step for each token. Their products are whole numbers, added without any
// rounding, so every machine gets the same sums, and the same bits as every other. `compile_kernel` makes kernel.wasm.

#include <stdint.h>
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name))) name
#define INLINE static inline __attribute__((always_inline))
#define LOAD wasm_v128_load
#define STORE wasm_v128_store
#define ALL wasm_f32x4_splat
#define ADD wasm_f32x4_add
#define SUB wasm_f32x4_sub
#define MUL wasm_f32x4_mul
#define MAX wasm_f32x4_pmax  // one instruction each; f32x4.max and min, which ask about NaN, are eight
#define MIN wasm_f32x4_pmin

typedef v128_t V;
enum { GROUP = 32, PANEL = 8 };  // weights that share a multiple; rows of a matrix that are computed together

// ---- Memory: a stack. What a pass takes is given back at its end.

extern uint8_t __heap_base;
static uint8_t *top;

void *EXPORT(take)(long bytes) {
  if (!top) top = (uint8_t *)(((uintptr_t)&__heap_base + 63) & ~63ul);
  uint8_t *place = top;
  top += (bytes + 63) & ~63l;
  long missing = ((long)top + 65535) / 65536 - (long)__builtin_wasm_memory_size(0);
  if (missing > 0 && __builtin_wasm_memory_grow(0, missing) == (unsigned long)-1) {
    top = place;
    return 0;
  }
  return place;
}

void EXPORT(give_back)(void *place) { top = place; }

// ---- Four numbers at a time

INLINE float sum_of(V v) {
  return wasm_f32x4_extract_lane(v, 0) + wasm_f32x4_extract_lane(v, 1) + wasm_f32x4_extract_lane(v, 2) +
         wasm_f32x4_extract_lane(v, 3);
}

INLINE float largest_of(V v) {
  float a = wasm_f32x4_extract_lane(v, 0), b = wasm_f32x4_extract_lane(v, 1);
  float c = wasm_f32x4_extract_lane(v, 2), d = wasm_f32x4_extract_lane(v, 3);
  a = a > b ? a : b;
  c = c > d ? c : d;
  return a > c ? a : c;
}

// Adding 1.5 * 2^23 rounds to a whole number, which then stands in the low bits.
#define ROUNDER 12582912.f

// exp(x) for x <= 0, to about 2e-7 of itself: x = n ln 2 + r, exp(r) by a polynomial (Cephes), 2^n by the exponent's bits.
INLINE V exp_of(V x) {
  x = MAX(x, ALL(-87.f));
  V shifted = ADD(MUL(x, ALL(1.44269504f)), ALL(ROUNDER));
  V n = SUB(shifted, ALL(ROUNDER));
  V r = SUB(SUB(x, MUL(n, ALL(.693359375f))), MUL(n, ALL(-2.12194440e-4f)));
  V p = ALL(1.9875691500e-4f);
  p = ADD(MUL(p, r), ALL(1.3981999507e-3f));
  p = ADD(MUL(p, r), ALL(8.3334519073e-3f));
  p = ADD(MUL(p, r), ALL(4.1665795894e-2f));
  p = ADD(MUL(p, r), ALL(1.6666665459e-1f));
  p = ADD(MUL(p, r), ALL(.5f));
  p = ADD(ADD(MUL(MUL(p, r), r), r), ALL(1.f));
  return wasm_i32x4_add(p, wasm_i32x4_shl(shifted, 23));
}

// erf(x) to about 1e-7, as a ratio of polynomials in x^2 (the coefficients are those of Eigen and XLA).
INLINE V erf_of(V x) {
  x = MAX(ALL(-4.f), MIN(ALL(4.f), x));
  V z = MUL(x, x);
  V p = ALL(-2.72614225801306e-10f);
  p = ADD(MUL(p, z), ALL(2.77068142495902e-08f));
  p = ADD(MUL(p, z), ALL(-2.10102402082508e-06f));
  p = ADD(MUL(p, z), ALL(-5.69250639462346e-05f));
  p = ADD(MUL(p, z), ALL(-7.34990630326855e-04f));
  p = ADD(MUL(p, z), ALL(-2.95459980854025e-03f));
  p = ADD(MUL(p, z), ALL(-1.60960333262415e-02f));
  V q = ALL(-1.45660718464996e-05f);
  q = ADD(MUL(q, z), ALL(-2.13374052778905e-04f));
  q = ADD(MUL(q, z), ALL(-1.68282697438203e-03f));
  q = ADD(MUL(q, z), ALL(-7.37332916720468e-03f));
  q = ADD(MUL(q, z), ALL(-1.42647390514189e-02f));
  return wasm_f32x4_div(MUL(x, p), q);
}

// tanh(x) = sign(x) (1 - e) / (1 + e), e = exp(-2 |x|)
INLINE V tanh_of(V x) {
  V e = exp_of(MUL(wasm_f32x4_abs(x), ALL(-2.f)));
  V size = wasm_f32x4_div(SUB(ALL(1.f), e), ADD(ALL(1.f), e));
  return wasm_v128_bitselect(x, size, wasm_i32x4_splat(INT32_MIN));  // with the sign of x
}

// ---- Rows of a table of vectors: out[t] = table[ids[t]]

void EXPORT(rows)(const int32_t *ids, int n, const int8_t *whole, const uint8_t *multiple, const float *step, int d,
                  float *out) {
  for (int t = 0; t < n; t++, out += d) {
    const int8_t *w = whole + (long)ids[t] * d;
    const uint8_t *m = multiple + (long)ids[t] * (d / GROUP);
    for (int k = 0; k < d; k += 8) {
      V factor = ALL(step[ids[t]] * m[k / GROUP]), numbers = wasm_i16x8_load8x8(w + k);
      STORE(out + k, MUL(factor, wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(numbers))));
      STORE(out + k + 4, MUL(factor, wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(numbers))));
    }
  }
}

void EXPORT(add)(const float *x, const float *y, int size, float *out) {
  for (int i = 0; i < size; i += 4) STORE(out + i, ADD(LOAD(x + i), LOAD(y + i)));
}

INLINE V mean_of(const float *x, int d) {
  V sum = ALL(0.f);
  for (int k = 0; k < d; k += 4) sum = ADD(sum, LOAD(x + k));
  return ALL(sum_of(sum) / d);
}

// What brings the numbers of a row, less their mean, to a standard deviation of 1.
INLINE V norm_factor_of(const float *x, int d, V mean, float eps) {
  V squares = ALL(0.f);
  for (int k = 0; k < d; k += 4) {
    V centered = SUB(LOAD(x + k), mean);
    squares = ADD(squares, MUL(centered, centered));
  }
  return ALL(1 / __builtin_sqrtf(sum_of(squares) / d + eps));
}

void EXPORT(layer_norm)(const float *x, int n, int d, const float *gamma, const float *beta, float eps, float *out) {
  for (int t = 0; t < n; t++, x += d, out += d) {
    V mean = mean_of(x, d), factor = norm_factor_of(x, d, mean, eps);
    for (int k = 0; k < d; k += 4)
      STORE(out + k, ADD(LOAD(beta + k), MUL(LOAD(gamma + k), MUL(factor, SUB(LOAD(x + k), mean)))));
  }
}

void EXPORT(gelu)(const float *x, int size, float *out) {
  for (int i = 0; i < size; i += 4) {
    V v = LOAD(x + i), half = MUL(v, ALL(.5f));
    STORE(out + i, ADD(half, MUL(half, erf_of(MUL(v, ALL(.70710678118654752f))))));
  }
}

void EXPORT(gelu_new)(const float *x, int size, float *out) {
  for (int i = 0; i < size; i += 4) {
    V v = LOAD(x + i), half = MUL(v, ALL(.5f)), cube = MUL(v, MUL(v, v));
    V inner = MUL(ALL(.7978845608028654f), ADD(v, MUL(ALL(.044715f), cube)));
    STORE(out + i, ADD(half, MUL(half, tanh_of(inner))));
  }
}

// ---- A linear map: out = x W^T + b

// What a row of x is multiplied with before it is rounded to 16 bits. No sum of products can pass 2^31: a row of x
// and a row of W have at most the product of their lengths as their product (Cauchy and Schwarz). longest: the length
// of W's longest row, in whole numbers. Four sums side by side need not wait for each other.
INLINE float factor_of(const float *x, int d, float longest) {
  V most[4] = {ALL(0.f), ALL(0.f), ALL(0.f), ALL(0.f)}, squares[4] = {ALL(0.f), ALL(0.f), ALL(0.f), ALL(0.f)};
  for (int k = 0; k < d; k += 16)
#pragma unroll
    for (int i = 0; i < 4; i++) {
      V v = LOAD(x + k + 4 * i);
      most[i] = MAX(most[i], wasm_f32x4_abs(v));
      squares[i] = ADD(squares[i], MUL(v, v));
    }
  V all = MAX(MAX(most[0], most[1]), MAX(most[2], most[3]));
  V sum = ADD(ADD(squares[0], squares[1]), ADD(squares[2], squares[3]));
  float by_size = 32767.f / (largest_of(all) + 1e-20f);
  float by_length = 2147480000.f * .995f / longest / (__builtin_sqrtf(sum_of(sum)) + 1e-20f);
  return by_size < by_length ? by_size : by_length;
}

INLINE V whole_of(const float *x, V factor) {  // four numbers, rounded
  return wasm_i32x4_sub(ADD(MUL(LOAD(x), factor), ALL(ROUNDER)), wasm_i32x4_splat(0x4B400000));  // ROUNDER's bits
}

// Rows of x in 16 bits, four tokens side by side, pairs of coordinates together: [n / 4][d / 2][4][2]. Where n is no
// multiple of 4, the last token stands there again.
static void round_rows(const float *x, int n, int d, float longest, int16_t *out, float *step) {
  for (int t = 0; t < n; t += 4) {
    const float *row[4];
    V factor[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int token = t + i < n ? t + i : n - 1;
      row[i] = x + (long)token * d;
      float f = factor_of(row[i], d, longest);
      step[token] = 1 / f;
      factor[i] = ALL(f);
    }
    for (int k = 0; k < d; k += 8, out += 32) {
      V pairs[4];
#pragma unroll
      for (int i = 0; i < 4; i++)
        pairs[i] = wasm_i16x8_narrow_i32x4(whole_of(row[i] + k, factor[i]), whole_of(row[i] + k + 4, factor[i]));
      V a = wasm_i32x4_shuffle(pairs[0], pairs[1], 0, 4, 1, 5), b = wasm_i32x4_shuffle(pairs[2], pairs[3], 0, 4, 1, 5);
      V c = wasm_i32x4_shuffle(pairs[0], pairs[1], 2, 6, 3, 7), e = wasm_i32x4_shuffle(pairs[2], pairs[3], 2, 6, 3, 7);
      STORE(out, wasm_i64x2_shuffle(a, b, 0, 2));
      STORE(out + 8, wasm_i64x2_shuffle(a, b, 1, 3));
      STORE(out + 16, wasm_i64x2_shuffle(c, e, 0, 2));
      STORE(out + 24, wasm_i64x2_shuffle(c, e, 1, 3));
    }
  }
}

// `tokens` rows of x times a panel of 8 rows of W.
INLINE void tile(int tokens, const int16_t *x, const int16_t *w, int d, const float *step, const float *scale,
                 const float *bias, float *out, int width) {
  V zero = wasm_i32x4_splat(0), sum[4][2] = {{zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}};
#pragma nounroll  // unrolled, clang reorders the additions and runs out of registers; the browser unrolls by itself
  for (int k = 0; k < d; k += 2, x += 8, w += 16) {
    V first = LOAD(w), second = LOAD(w + 8);
#pragma unroll
    for (int t = 0; t < tokens; t++) {
      V pair = wasm_v128_load32_splat(x + t * 2);
      sum[t][0] = wasm_i32x4_add(sum[t][0], wasm_i32x4_dot_i16x8(pair, first));
      sum[t][1] = wasm_i32x4_add(sum[t][1], wasm_i32x4_dot_i16x8(pair, second));
    }
  }
#pragma unroll
  for (int t = 0; t < tokens; t++, out += width)
    for (int half = 0; half < 2; half++) {
      V factor = MUL(ALL(step[t]), LOAD(scale + 4 * half));
      STORE(out + 4 * half, ADD(LOAD(bias + 4 * half), MUL(factor, wasm_f32x4_convert_i32x4(sum[t][half]))));
    }
}

// A panel of W in 16 bits: its 8-bit numbers times their multiples.
static void widen(const int8_t *whole, const uint8_t *multiple, int d, int16_t *out) {
  for (int g = 0; g < d / GROUP; g++, multiple += PANEL) {
    V m = wasm_u16x8_load8x8(multiple);
    V first = wasm_i16x8_shuffle(m, m, 0, 0, 1, 1, 2, 2, 3, 3), second = wasm_i16x8_shuffle(m, m, 4, 4, 5, 5, 6, 6, 7, 7);
    for (int pair = 0; pair < GROUP / 2; pair++, whole += 16, out += 16) {
      STORE(out, wasm_i16x8_mul(wasm_i16x8_load8x8(whole), first));
      STORE(out + 8, wasm_i16x8_mul(wasm_i16x8_load8x8(whole + 8), second));
    }
  }
}

// whole: panels of 8 rows, pairs of coordinates together, [width / 8][d / 2][8][2]; multiple: [width / 8][d / 32][8].
void EXPORT(linear)(const float *x, int n, int d, const int8_t *whole, const uint8_t *multiple, const float *scale,
                    float longest, const float *bias, int width, float *out) {
  int16_t *a = take((long)(n + 3) / 4 * 4 * d * 2), *panel = take(PANEL * d * 2);
  float *step = take(n * 4);
  round_rows(x, n, d, longest, a, step);
  for (int row = 0; row < width; row += PANEL, whole += PANEL * d, multiple += PANEL * (d / GROUP)) {
    widen(whole, multiple, d, panel);
    const float *s = scale + row, *b = bias + row;
    float *o = out + row;
    int t = 0;
    for (; t + 4 <= n; t += 4) tile(4, a + (long)t * d, panel, d, step + t, s, b, o + (long)t * width, width);
    if (n - t == 3) tile(3, a + (long)t * d, panel, d, step + t, s, b, o + (long)t * width, width);
    if (n - t == 2) tile(2, a + (long)t * d, panel, d, step + t, s, b, o + (long)t * width, width);
    if (n - t == 1) tile(1, a + (long)t * d, panel, d, step + t, s, b, o + (long)t * width, width);
  }
  give_back(a);
}

// ---- Attention of all heads: softmax(Q K^T / sqrt(d_k)) V

// Products of `queries` queries with all keys, whose coordinates lie side by side: keys is [d_k][padded].
INLINE void products(int queries, const float *q, int d, const float *keys, int padded, int d_k, V scale,
                     float *out) {
  for (int j = 0; j < padded; j += 8) {
    V zero = ALL(0.f), sum[4][2] = {{zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}};
#pragma nounroll
    for (int k = 0; k < d_k; k++) {
      V first = LOAD(keys + k * padded + j), second = LOAD(keys + k * padded + j + 4);
#pragma unroll
      for (int i = 0; i < queries; i++) {
        V x = wasm_v128_load32_splat(q + i * d + k);
        sum[i][0] = ADD(sum[i][0], MUL(x, first));
        sum[i][1] = ADD(sum[i][1], MUL(x, second));
      }
    }
#pragma unroll
    for (int i = 0; i < queries; i++) {
      STORE(out + i * padded + j, MUL(sum[i][0], scale));
      STORE(out + i * padded + j + 4, MUL(sum[i][1], scale));
    }
  }
}

// Values, each counted by its weight.
INLINE void weighted(int queries, const float *weights, int padded, const float *v, int d, int n_keys, int d_k, float *out) {
  for (int k = 0; k < d_k; k += 8) {
    V zero = ALL(0.f), sum[4][2] = {{zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}};
    const float *value = v + k;
#pragma nounroll
    for (int j = 0; j < n_keys; j++, value += d) {
      V first = LOAD(value), second = LOAD(value + 4);
#pragma unroll
      for (int i = 0; i < queries; i++) {
        V x = wasm_v128_load32_splat(weights + i * padded + j);
        sum[i][0] = ADD(sum[i][0], MUL(x, first));
        sum[i][1] = ADD(sum[i][1], MUL(x, second));
      }
    }
#pragma unroll
    for (int i = 0; i < queries; i++) {
      STORE(out + i * d + k, sum[i][0]);
      STORE(out + i * d + k + 4, sum[i][1]);
    }
  }
}

// One row of scores becomes weights. visible: keys that this query may look at; the others get 0.
INLINE void softmax(float *row, int visible, int padded) {
  for (int j = visible; j < padded; j++) row[j] = -1e30f;
  V most[2] = {ALL(-1e30f), ALL(-1e30f)}, sum[2] = {ALL(0.f), ALL(0.f)};
  for (int j = 0; j < padded; j += 8)
#pragma unroll
    for (int i = 0; i < 2; i++) most[i] = MAX(most[i], LOAD(row + j + 4 * i));
  V all = ALL(largest_of(MAX(most[0], most[1])));
  for (int j = 0; j < padded; j += 8)
#pragma unroll
    for (int i = 0; i < 2; i++) {
      V power = exp_of(SUB(LOAD(row + j + 4 * i), all));
      STORE(row + j + 4 * i, power);
      sum[i] = ADD(sum[i], power);
    }
  for (int j = visible; j < padded; j++) row[j] = 0;
  V factor = ALL(1 / sum_of(ADD(sum[0], sum[1])));
  for (int j = 0; j < padded; j += 4) STORE(row + j, MUL(LOAD(row + j), factor));
}

// q: (n, d), k and v: (n_keys, d), heads side by side; out: (n, d). causal: query i sees keys up to n_keys - n + i.
// scores, weights: (heads, n, n_keys), or 0 where nobody wants them.
void EXPORT(attention)(const float *q, const float *k, const float *v, int n, int n_keys, int d, int heads, int causal,
                       float *scores, float *weights, float *out) {
  int d_k = d / heads, padded = (n_keys + 7) & ~7;
  float *keys = take((long)d_k * padded * 4), *rows = take(4l * padded * 4);
  V scale = ALL(1 / __builtin_sqrtf(d_k));
  for (int h = 0; h < heads; h++) {
    for (int c = 0; c < d_k; c++)
      for (int j = 0; j < padded; j++) keys[c * padded + j] = j < n_keys ? k[(long)j * d + h * d_k + c] : 0;
    for (int i = 0; i < n; i += 4) {
      int some = n - i < 4 ? n - i : 4;
      const float *query = q + (long)i * d + h * d_k, *value = v + h * d_k;
      float *head = out + (long)i * d + h * d_k;
      if (some == 4) products(4, query, d, keys, padded, d_k, scale, rows);
      if (some == 3) products(3, query, d, keys, padded, d_k, scale, rows);
      if (some == 2) products(2, query, d, keys, padded, d_k, scale, rows);
      if (some == 1) products(1, query, d, keys, padded, d_k, scale, rows);
      for (int r = 0; r < some; r++) {
        float *row = rows + r * padded;
        int visible = causal ? n_keys - n + i + r + 1 : n_keys;
        long at = ((long)h * n + i + r) * n_keys;
        if (scores)
          for (int j = 0; j < n_keys; j++) scores[at + j] = j < visible ? row[j] : -__builtin_inff();
        softmax(row, visible, padded);
        if (weights) __builtin_memcpy(weights + at, row, n_keys * 4);
      }
      if (some == 4) weighted(4, rows, padded, value, d, n_keys, d_k, head);
      if (some == 3) weighted(3, rows, padded, value, d, n_keys, d_k, head);
      if (some == 2) weighted(2, rows, padded, value, d, n_keys, d_k, head);
      if (some == 1) weighted(1, rows, padded, value, d, n_keys, d_k, head);
    }
  }
  give_back(keys);
}
