// The weights W in a basis that turns from the units to the memories, little by little: B(0) = 1, B(1) = [memories, rest].
// Every picture on the way is B^-1 W B, the same map in other coordinates.

// Orthonormal directions that the readers do not see.
function unseen(readers, units) {
  const basis = [], kept = [];
  const orthogonal = (x) => { for (let again = 0; again < 2; again++) for (const b of basis) { let sum = 0; for (let i = 0; i < units; i++) sum += x[i] * b[i]; for (let i = 0; i < units; i++) x[i] -= sum * b[i]; } return Math.hypot(...x); };
  const take = (x, least, into) => { const size = orthogonal(x); if (size < least) return; const b = x.map((v) => v / size); basis.push(b); into?.push(b); };
  rowsOf(readers).forEach((row) => take(row, 1e-12, null));
  for (let i = 0; i < units && kept.length < units - readers.rows; i++) { const unit = new Float64Array(units); unit[i] = 1; take(unit, 1e-3, kept); }
  return kept;
}

// B = Q R: Q as rotations in planes, each of which can be taken in part, and R with a positive diagonal.
function rotations(basis) {
  const { rows: n, data } = basis, r = Float64Array.from(data), all = [];
  for (let j = 0; j < n; j++) {
    for (let i = n - 1; i > j; i--) {
      const a = r[(i - 1) * n + j], b = r[i * n + j];
      if (b === 0) continue;
      const angle = Math.atan2(b, a), c = Math.cos(angle), s = Math.sin(angle);
      for (let k = j; k < n; k++) { const x = r[(i - 1) * n + k], y = r[i * n + k]; r[(i - 1) * n + k] = c * x + s * y; r[i * n + k] = c * y - s * x; }
      all.push(i, angle);
    }
  }
  // The last direction holds nothing, and its sign means nothing.
  if (r[n * n - 1] < 0) for (let i = 0; i < n; i++) r[i * n + n - 1] *= -1;
  return { all, triangle: r };
}

// The same weights with their units in another order, drawn once and for all: as much a network as before, but not the one that the
// memories were found in.
function shuffledUnits(weights) {
  const n = weights.rows, order = Array.from({ length: n }, (_, k) => k), out = zeros(n, n);
  for (let k = n - 1; k > 0; k--) { const other = philox(k, n, 0, 0, 1)[0] % (k + 1); [order[k], order[other]] = [order[other], order[k]]; }
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out.data[i * n + j] = weights.data[order[i] * n + order[j]];
  return out;
}

class Turning {
  constructor(weights, columns, readers) {
    const n = weights.rows, core = columns.cols, rest = unseen(readers, n), basis = zeros(n, n);
    if (core + rest.length !== n) throw new Error("the memories are dependent");
    for (let i = 0; i < n; i++) { for (let k = 0; k < core; k++) basis.data[i * n + k] = columns.data[i * core + k]; rest.forEach((b, k) => { basis.data[i * n + core + k] = b[i]; }); }
    Object.assign(this, { weights, n, core, ...rotations(basis) });
  }

  at(share, weights = this.weights) {
    const { n, all, triangle } = this, m = Float64Array.from(weights.data), t = 1 - share;
    for (let k = 0; k < all.length; k += 2) {
      const i = all[k], p = (i - 1) * n, q = i * n, c = Math.cos(share * all[k + 1]), s = Math.sin(share * all[k + 1]);
      for (let j = 0; j < n; j++) { const x = m[p + j], y = m[q + j]; m[p + j] = c * x + s * y; m[q + j] = c * y - s * x; }
      for (let j = 0, at = i - 1; j < n; j++, at += n) { const x = m[at], y = m[at + 1]; m[at] = c * x + s * y; m[at + 1] = c * y - s * x; }
    }
    const r = (i, j) => share * triangle[i * n + j] + (i === j ? t : 0), out = new Float64Array(n * n);
    for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) { const x = m[i * n + k]; for (let j = k; j < n; j++) out[i * n + j] += x * r(k, j); }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) { const x = r(i, k); for (let j = 0; j < n; j++) out[i * n + j] -= x * out[k * n + j]; }
      const d = r(i, i);
      for (let j = 0; j < n; j++) out[i * n + j] /= d;
    }
    return { rows: n, cols: n, data: out };
  }
}
