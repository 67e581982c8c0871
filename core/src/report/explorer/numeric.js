// Matrices are row-major: { rows, cols, data }.

function matrixOf(stored) {
  if (!stored) return null;
  const { rows, cols, fixed, places, f64, f32 } = stored, width = f64 === undefined ? 4 : 8, at = fixed ?? f64 ?? f32, count = rows * cols;
  // Stored as all first bytes, then all second bytes and so on.
  const bytes = new Uint8Array(width * count);
  for (let place = 0, from = at; place < width; place++) for (let k = 0; k < count; k++) bytes[k * width + place] = behind[from++];
  const data = fixed !== undefined ? fixedPoints(new Uint32Array(bytes.buffer), 2 ** -places) : f64 !== undefined ? new Float64Array(bytes.buffer) : Float64Array.from(new Float32Array(bytes.buffer));
  return { rows, cols, data };
}

// Whole multiples of a unit, the sign in the last bit.
const fixedPoints = (digits, unit) => Float64Array.from(digits, (x) => (x & 1 ? -unit : unit) * (x >>> 1));

const zeros = (rows, cols) => ({ rows, cols, data: new Float64Array(rows * cols) });

function transposed(a) {
  const out = zeros(a.cols, a.rows);
  for (let i = 0; i < a.rows; i++) for (let j = 0; j < a.cols; j++) out.data[j * a.rows + i] = a.data[i * a.cols + j];
  return out;
}

function product(a, b) {
  const out = zeros(a.rows, b.cols), n = b.cols;
  for (let i = 0; i < a.rows; i++) {
    for (let k = 0; k < a.cols; k++) {
      const x = a.data[i * a.cols + k];
      if (x === 0) continue;
      for (let j = 0, to = i * n, from = k * n; j < n; j++) out.data[to + j] += x * b.data[from + j];
    }
  }
  return out;
}

// The rows of a matrix, one array each.
const rowsOf = ({ data, rows, cols }) => Array.from({ length: rows }, (_, i) => Float64Array.from(data.subarray(i * cols, (i + 1) * cols)));

function times(a, x) {
  const out = new Float64Array(a.rows);
  for (let i = 0; i < a.rows; i++) {
    let sum = 0;
    for (let j = 0, at = i * a.cols; j < a.cols; j++) sum += a.data[at + j] * x[j];
    out[i] = sum;
  }
  return out;
}

// Solves the symmetric positive definite system a x = b for every column of b, by Cholesky.
function solvePositive(a, b) {
  const n = a.rows, l = Float64Array.from(a.data), x = { rows: b.rows, cols: b.cols, data: Float64Array.from(b.data) }, m = b.cols;
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = l[i * n + j];
      for (let k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
      l[i * n + j] = i === j ? Math.sqrt(sum) : sum / l[j * n + j];
    }
  }
  const eliminate = (i, k, factor) => { for (let c = 0; c < m; c++) x.data[i * m + c] -= factor * x.data[k * m + c]; };
  const divide = (i) => { for (let c = 0; c < m; c++) x.data[i * m + c] /= l[i * n + i]; };
  for (let i = 0; i < n; i++) { for (let k = 0; k < i; k++) eliminate(i, k, l[i * n + k]); divide(i); }
  for (let i = n - 1; i >= 0; i--) { for (let k = i + 1; k < n; k++) eliminate(i, k, l[k * n + i]); divide(i); }
  return x;
}

// What the task asks for: the inputs, then each next value from the s values before it.
function continued(task, inputs, horizon) {
  const sequence = inputs.map((u) => Float64Array.from(u)), s = inputs.length;
  for (let t = s; t < s + horizon; t++) {
    if (task.gates) {
      const up = ({ lag, component }) => Number(sequence[t - lag][component] > 0);
      sequence.push(Float64Array.from(task.gates, ({ inputs, table }) => table[inputs.reduce((m, slot, q) => m | up(slot) << q, 0)]));
    } else if (task.sources) sequence.push(Float64Array.from(task.sources, ({ lag, component, sign }) => sign * sequence[t - lag][component]));
    else {
      const window = sequence.slice(t - s, t).flatMap((u) => [...u]);
      sequence.push(times(task.matrix, window));
    }
  }
  return sequence;
}
