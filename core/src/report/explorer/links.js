// What belongs together lights up together: an output, its line of f, its wires, its row and column, its cycle and its
// eigenvalues.

const links = {
  output: null, listeners: [],
  on(listener) { this.listeners.push(listener); },
  point(output) {
    if (output === this.output) return;
    this.output = output;
    this.listeners.forEach((listener) => listener(output));
  },
  // Pointing at an element, or moving to it by keyboard, points at its output.
  from(target, output) {
    const of = () => (typeof output === "function" ? output() : output);
    for (const kind of ["pointerenter", "focus"]) target.addEventListener(kind, () => links.point(of()));
    for (const kind of ["pointerleave", "blur"]) target.addEventListener(kind, () => links.point(null));
  },
};

// The cycle that an output copies from: its window slots, its length, and whether it flips signs on the way round.
function cycleOf(sources, output, s, d) {
  const path = [], at = new Map();
  let j = output;
  while (!at.has(j)) { at.set(j, path.length); path.push(j); j = sources[j].component; }
  const round = path.slice(at.get(j)), slots = new Set();
  let length = 0, sign = 1;
  for (const reader of round) {
    const { lag, component, sign: turn } = sources[reader];
    for (let k = 1; k <= lag; k++) slots.add((s - k) * d + component);
    length += lag;
    sign *= turn;
  }
  return { slots, length, sign, outputs: new Set(round), through: round.includes(output) };
}

// The angles of a cycle's eigenvalues: the roots of +1 or -1.
const cycleAngles = ({ length, sign }) => Array.from({ length }, (_, k) => { const a = 2 * Math.PI * (k + (sign < 0 ? 0.5 : 0)) / length; return a > Math.PI + 1e-9 ? a - 2 * Math.PI : a; });

function allCycles(sources, s, d) {
  const seen = new Set(), cycles = [];
  sources.forEach((_, j) => {
    const cycle = cycleOf(sources, j, s, d), key = Math.min(...cycle.slots);
    if (!seen.has(key)) { seen.add(key); cycles.push(cycle); }
  });
  return cycles;
}
