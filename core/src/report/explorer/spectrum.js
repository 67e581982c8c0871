// Eigenvalues in the complex plane: rings for theory, dots for what was learned, and below them how far the angles are off.

const spectrumTitle = (place, plain, inMemories) => (place === "orbit" && inMemories ? "Between the memories (what is read from the states, noise taken off)" : place === "orbit" ? "On the orbit (where the network really runs)" : `At the origin (${plain ? "the weights themselves" : "the derivative at the zero state"})`);

// `task` is the page's, to say why there is nothing to compare with.
function spectrumNote({ found, expected, error, threshold, worst_error: worst, directions }, task) {
  const kept = `${found} ${found === 1 ? "eigenvalue" : "eigenvalues"} with modulus above ${threshold}`;
  if (expected == null) return `${kept}; ${task ? "a rule of logic asks for no eigenvalues to compare with" : "no task is known to compare with"}.`;
  if (error == null) return `${kept}, theory asks for ${expected}: the counts differ${differing(directions)}, so the angle error is undefined.`;
  return `${kept}, as theory asks; mean angle error ${error.toExponential(1)} rad, the largest ${worst.toExponential(1)} rad.`;
}

// In how many of the angles that theory asks for another number was learned.
function differing(directions) {
  const asked = directions.filter(({ expected }) => expected > 0), differ = asked.filter(({ found, expected }) => found !== expected).length;
  return differ ? ` (at ${differ} of ${asked.length} angles)` : "";
}

const angleOf = ([re, im]) => Math.atan2(im, re);
const apart = (a, b) => { const x = Math.abs(a - b) % (2 * Math.PI); return Math.min(x, 2 * Math.PI - x); };

// Pairs of angles, learned and theory's, with the least sum of distances: on a circle the best pairing keeps the order.
function pairedAngles(learned, theory) {
  const a = learned.map(angleOf).sort((x, y) => x - y), b = theory.map(angleOf).sort((x, y) => x - y), n = a.length;
  if (n !== b.length || !n) return [];
  let best = null;
  for (let shift = 0; shift < n; shift++) {
    const sum = a.reduce((total, x, k) => total + apart(x, b[(k + shift) % n]), 0);
    if (!best || sum < best.sum - 1e-15) best = { sum, shift };
  }
  return a.map((x, k) => { const wanted = b[(k + best.shift) % n], off = apart(x, wanted); return { wanted, found: x, off: Math.sin(x - wanted) < 0 ? -off : off }; });
}

class SpectrumChart {
  // options: title, conjugates (also draw those), name of the dots
  constructor(holder, spectrum, theory, { label, conjugates = false, name = "learned" }) {
    Object.assign(this, { holder, spectrum, theory, conjugates, name, lit: null });
    this.svgNode = svg("svg", { role: "img", "aria-label": label, class: "chart spectrum" });
    holder.append(this.svgNode);
    const limit = spectrum.threshold ?? 0;
    this.pairs = theory && spectrum.error != null ? pairedAngles(spectrum.eigenvalues.filter((z) => Math.hypot(...z) > limit), theory.filter((z) => Math.hypot(...z) > limit)) : [];
    new ResizeObserver(() => this.draw()).observe(holder);
    drawn.add(this);
    this.svgNode.addEventListener("pointerover", (event) => { const said = event.target.dataset?.tip; if (said) showTip(event, said); });
    this.svgNode.addEventListener("pointerout", hideTip);
  }

  light(angles) { this.lit = angles; this.draw(); }

  draw() {
    const width = Math.min(this.holder.clientWidth, 560);
    if (width < 20) return;
    const { spectrum, theory, pairs } = this, furthest = Math.max(1.25, ...spectrum.eigenvalues.map((z) => 1.06 * Math.max(Math.abs(z[0]), Math.abs(z[1])))), strip = pairs.length ? 112 : 0;
    const side = width - 30, unit = side / (2 * furthest), cx = 26 + side / 2, cy = side / 2 + 4, x = (re) => cx + unit * re, y = (im) => cy - unit * im, height = side + 40 + strip;
    const lights = (z) => this.lit && Math.hypot(...z) > 0.5 && this.lit.some((angle) => apart(angle, angleOf(z)) < 0.02);
    const told = ([re, im], kind) => `${kind}: ${re.toFixed(4)} ${im < 0 ? "−" : "+"} ${Math.abs(im).toFixed(4)}i, modulus ${Math.hypot(re, im).toFixed(4)}, angle ${Math.atan2(im, re).toFixed(4)} rad`;
    const parts = [svg("line", { x1: x(-furthest), x2: x(furthest), y1: cy, y2: cy, class: "gridline" }), svg("line", { y1: y(-furthest), y2: y(furthest), x1: cx, x2: cx, class: "gridline" }), svg("circle", { cx, cy, r: unit, class: "unit" })];
    parts.push(svg("text", { x: cx, y: side + 22, class: "tick", "text-anchor": "middle" }, "real part"), svg("text", { x: 10, y: cy, class: "tick", "text-anchor": "middle", transform: `rotate(-90 10 ${cy})` }, "imaginary part"));
    const dots = this.conjugates ? [...spectrum.eigenvalues, ...spectrum.eigenvalues.filter((z) => z[1]).map(([re, im]) => [re, -im])] : spectrum.eigenvalues;
    dots.forEach((z) => parts.push(svg("circle", { cx: x(z[0]), cy: y(z[1]), r: lights(z) ? 5 : 3.4, class: lights(z) ? "learned lit" : "learned", "data-tip": told(z, this.name) })));
    (theory ?? []).forEach((z) => { if (Math.hypot(...z) > 0.01) parts.push(svg("circle", { cx: x(z[0]), cy: y(z[1]), r: 6.5, class: lights(z) ? "theory lit" : "theory", "data-tip": told(z, "theory") })); });
    parts.push(...this.labels(width, { x, y, unit, cx, cy, side }, dots));
    if (strip) parts.push(...this.strip(side + 44, 60, 48, width - 10));
    this.svgNode.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svgNode.style.width = `${width}px`;
    this.svgNode.style.height = `${height}px`;
    this.svgNode.replaceChildren(...parts);
  }

  // Counts and the names of the axes' ends, each where it covers nothing; a name without a place is left out. Counts are given only where
  // several lie on one spot, or where learned and asked for differ.
  labels(width, { x, y, unit, cx, cy, side }, dots) {
    const { directions } = this.spectrum, crowded = directions.length > (width > 420 ? 60 : 28), differ = directions.filter(({ found, expected }) => found !== expected).length;
    const marks = [...dots.map((z) => [x(z[0]), y(z[1]), 4]), ...(this.theory ?? []).map((z) => [x(z[0]), y(z[1]), 7])], taken = [], made = [];
    const free = ([left, top, wide, high]) => left > 24 && left + wide < 28 + side && top > 2 && top + high < side + 6 && !marks.some(([mx, my, r]) => mx > left - r && mx < left + wide + r && my > top - r && my < top + high + r)
      && !taken.some(([l, t, w, h]) => left < l + w && l < left + wide && top < t + h && t < top + high);
    // The first of these places that is free.
    const put = (text, places, attributes) => {
      const wide = 7.2 * text.length + 2, high = 13, place = places.find(([px, py]) => free([px - wide / 2, py - high / 2, wide, high]));
      if (!place) return;
      taken.push([place[0] - wide / 2, place[1] - high / 2, wide, high]);
      made.push(svg("text", { x: place[0], y: place[1], "text-anchor": "middle", "dominant-baseline": "central", ...attributes }, text));
    };
    for (const { angle, found, expected } of directions) {
      // Where many differ there is no room for all of them, and the note says how many do.
      if (found === expected ? found === 1 || crowded : crowded && differ > 0.6 * directions.length) continue;
      const along = [18, 22, 27, 33, 40, 48, -18, -23, -29, -36, -44].map((off) => [cx + (unit + off) * Math.cos(angle), cy - (unit + off) * Math.sin(angle)]);
      put(found === expected ? `×${found}` : `${found}/${expected}`, along, { class: found === expected ? "count" : "count differs", "data-tip": `${found} learned, theory asks for ${expected}` });
    }
    for (const [text, re, im] of [["1", 1, 0], ["−1", -1, 0], ["i", 0, 1], ["−i", 0, -1]]) {
      const around = [14, -14, 20, -20, 26, -26].flatMap((off) => [10, -10].map((aside) => [x(re) + off * re + aside * Math.abs(im), y(im) - off * im + aside * Math.abs(re)]));
      put(text, around, { class: "tick" });
    }
    return made;
  }

  // The errors that no circle shows: angle learned less angle of theory, over the angle.
  strip(top, high, left, right) {
    const most = Math.max(1e-12, ...this.pairs.map(({ off }) => Math.abs(off))), middle = top + 8 + high / 2, x = (angle) => left + (right - left) * (angle + Math.PI) / (2 * Math.PI), y = (off) => middle - high / 2 * off / most;
    const scale = [[most, `+${most.toExponential(0)}`], [0, "0"], [-most, `−${most.toExponential(0)}`]];
    return [
      ...scale.flatMap(([off, text]) => [svg("line", { x1: left, x2: right, y1: y(off), y2: y(off), class: "gridline" }), svg("text", { x: left - 4, y: y(off), class: "tick", "text-anchor": "end", "dominant-baseline": "middle" }, text)]),
      ...[[-Math.PI, "−π"], [0, "0"], [Math.PI, "π"]].map(([angle, text]) => svg("text", { x: x(angle), y: top + high + 24, class: "tick", "text-anchor": "middle" }, text)),
      svg("text", { x: left + 3 * (right - left) / 4, y: top + high + 24, class: "tick", "text-anchor": "middle" }, "angle of theory"), svg("text", { x: left, y: top, class: "tick" }, "angle error, rad"),
      ...this.pairs.map(({ wanted, off }) => svg("circle", { cx: x(wanted), cy: y(off), r: this.lit?.some((angle) => apart(angle, wanted) < 0.02) ? 4.4 : 2.6, class: "learned", "data-tip": `angle ${wanted.toFixed(4)}: off by ${off.toExponential(1)} rad` })),
    ];
  }

  svg() { return standalone(this.svgNode); }
  rows() { return [["kind", "real", "imaginary"], ...this.spectrum.eigenvalues.map((z) => [this.name, ...z]), ...(this.theory ?? []).map((z) => ["theory", ...z])]; }
}

function startSpectra(explorer) {
  const { data, plain, s, d } = explorer, holder = byId("spectra"), places = ["orbit", "origin"].filter((place) => data.spectra[place]);
  holder.classList.toggle("single", places.length === 1);
  // Nobody asks for anything where no rule is known.
  if (!data.spectra.theory) { const said = document.querySelector("#spectrum .explain"); said.textContent = said.textContent.replace(/ Rings are .*$/, ""); }
  const charts = places.map((place) => {
    const spectrum = data.spectra[place], title = spectrumTitle(place, plain, data.spectra.in_memories), note = spectrumNote(spectrum, data.task), room = element("div", { class: "chart-room" }), caption = element("figcaption", {}, element("b", { "data-terms": "" }, title));
    holder.append(element("figure", {}, caption, room, element("p", { class: "note" }, note)));
    const chart = new SpectrumChart(room, spectrum, data.spectra.theory, { label: `${title}: ${note}` });
    offerExport(caption, `spectrum-${place}`, chart);
    return chart;
  });
  links.on((output) => charts.forEach((chart) => chart.light(output === null || !data.task?.sources ? null : cycleAngles(cycleOf(data.task.sources, output, s, d)))));
}
