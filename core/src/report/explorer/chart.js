// Axes and lines, drawn as SVG.

// Round numbers that cover a range.
function ticks(from, to, count = 5) {
  const raw = (to - from) / count, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find((k) => k * power >= raw) * power, all = [];
  for (let x = Math.ceil(from / step - 1e-9) * step; x <= to + 1e-9 * step; x += step) all.push(Number(x.toPrecision(12)));
  return all;
}

const short = (x) => (Math.abs(x) >= 10_000 ? `${Number((x / 1000).toPrecision(4))}k` : Number(x.toPrecision(6)).toString());

// Lines over one x axis, a panel for each of them below the other. panels: [{ name, y, log, from, to, colour }]
class LineChart {
  constructor(holder, { x, xName, panels, label }) {
    Object.assign(this, { x, xName, panels, cursor: null });
    this.svgNode = svg("svg", { role: "img", "aria-label": label, class: "chart" });
    holder.append(this.svgNode);
    new ResizeObserver(() => this.draw()).observe(holder);
    this.holder = holder;
    this.svgNode.addEventListener("pointermove", (event) => this.hover(event));
    this.svgNode.addEventListener("pointerleave", hideTip);
  }

  draw() {
    const width = this.holder.clientWidth;
    if (!width) return;
    const { x, panels, xName } = this, high = width < 560 ? 92 : 120, left = 62, right = width - 10, height = panels.length * (high + 24) + 40;
    this.at = (step) => left + (right - left) * (step - x[0]) / (x.at(-1) - x[0] || 1);
    this.svgNode.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svgNode.style.height = `${height}px`;
    const parts = panels.flatMap((panel, k) => this.panel(panel, 6 + k * (high + 24), high, left, right));
    const bottom = height - 34;
    for (const step of ticks(x[0], x.at(-1), width < 560 ? 4 : 8)) parts.push(svg("text", { x: this.at(step), y: bottom + 8, class: "tick", "text-anchor": "middle" }, short(step)));
    parts.push(svg("text", { x: (left + right) / 2, y: height - 6, class: "tick", "text-anchor": "middle" }, xName));
    if (this.cursor !== null) parts.push(svg("line", { x1: this.at(this.cursor), x2: this.at(this.cursor), y1: 0, y2: bottom - 6, class: "cursor" }));
    this.svgNode.replaceChildren(...parts);
  }

  panel({ name, y, log, from, to, colour: ink }, top, high, left, right) {
    const put = log ? (v) => Math.log10(Math.max(v, 1e-12)) : (v) => v, values = y.map(put);
    let low = from ?? Math.min(...values), most = to ?? Math.max(...values);
    if (most - low < 1e-9) { low -= 0.5; most += 0.5; }
    const place = (v) => top + high * (1 - (v - low) / (most - low)), powers = log ? ticks(low, most, 3).filter(Number.isInteger) : [], marks = !log ? ticks(low, most, 3) : powers.length > 1 ? powers : [low, most];
    const points = values.map((v, k) => `${k ? "L" : "M"}${this.at(this.x[k]).toFixed(1)} ${place(Math.max(low, Math.min(most, v))).toFixed(1)}`).join("");
    return [
      ...marks.flatMap((v) => [svg("line", { x1: left, x2: right, y1: place(v), y2: place(v), class: "gridline" }), svg("text", { x: left - 6, y: place(v), class: "tick", "text-anchor": "end", "dominant-baseline": "middle" }, !log ? short(v) : powers.length > 1 ? (v ? `1e${v}` : "1") : number(Number((10 ** v).toPrecision(2))))]),
      svg("text", { x: 10, y: top + high / 2, class: "tick", "text-anchor": "middle", transform: `rotate(-90 10 ${top + high / 2})` }, name),
      svg("path", { d: points, fill: "none", stroke: ink, "stroke-width": 1.8, "stroke-linejoin": "round" }),
    ];
  }

  hover(event) {
    const frame = this.svgNode.getBoundingClientRect(), at = event.clientX - frame.left;
    let best = 0;
    this.x.forEach((step, k) => { if (Math.abs(this.at(step) - at) < Math.abs(this.at(this.x[best]) - at)) best = k; });
    showTip(event, `${this.xName} ${short(this.x[best])}: ${this.panels.map(({ name, y }) => `${name} ${number(y[best])}`).join(", ")}`);
  }

  svg() { return standalone(this.svgNode); }
  rows() { return [[this.xName, ...this.panels.map(({ name }) => name)], ...this.x.map((step, k) => [step, ...this.panels.map(({ y }) => y[k])])]; }
}
