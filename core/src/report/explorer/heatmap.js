// A matrix as coloured cells, with axis names, lines between groups, and values under the pointer.

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";
const drawn = new Set();

// After a change of theme.
function redrawAll() { drawn.forEach((map) => { map.cached = null; map.draw(); }); }

class Heatmap {
  // options: label, xName, yName, and after `show`: rows, cols, value(i, j), limit, xLines, yLines, xTicks, yTicks, tell(i, j), point(i, j) and leave(),
  // overlay(context, box); `lit` are rows and columns that are pointed at
  constructor(canvas, options) {
    this.canvas = canvas;
    this.options = options;
    canvas.setAttribute("role", "img");
    drawn.add(this);
    new ResizeObserver(() => this.draw()).observe(canvas);
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => { hideTip(); this.options.leave?.(); });
  }

  show(options) {
    Object.assign(this.options, options);
    this.canvas.setAttribute("aria-label", this.options.label);
    const { rows, cols, value } = this.options;
    this.values = new Float64Array(rows * cols);
    for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) this.values[i * cols + j] = value(i, j);
    this.cached = null;
    this.draw();
  }

  picture() {
    const { rows, cols, limit } = this.options, picture = new OffscreenCanvas(cols, rows), context = picture.getContext("2d");
    const image = context.createImageData(cols, rows);
    this.values.forEach((value, k) => {
      const at = level(value, limit);
      for (let c = 0; c < 3; c++) image.data[4 * k + c] = palette.table[at + c];
      image.data[4 * k + 3] = Number.isNaN(value) ? 0 : 255;
    });
    context.putImageData(image, 0, 0);
    return picture;
  }

  draw() {
    if (!this.values || !this.canvas.clientWidth) return;
    const { rows, cols, xTicks = [], yTicks = [], xName, yName } = this.options;
    const [context, width, height] = fitted(this.canvas);
    context.font = FONT;
    // Room for the longest name beside the rows.
    const names = yTicks.map(({ text }) => context.measureText(text).width), left = Math.max(44, 26 + Math.max(0, ...names));
    const box = { left, top: 34, right: width - 2, bottom: height - 6 };
    if (this.canvas.classList.contains("square")) {
      const side = Math.min(box.right - box.left, box.bottom - box.top);
      box.right = box.left + side;
      box.bottom = box.top + side;
    }
    box.x = (j) => box.left + (box.right - box.left) * j / cols;
    box.y = (i) => box.top + (box.bottom - box.top) * i / rows;
    this.box = box;
    context.imageSmoothingEnabled = false;
    this.cached ??= this.picture();
    context.drawImage(this.cached, box.left, box.top, box.right - box.left, box.bottom - box.top);
    this.lines(context, box);
    context.fillStyle = palette.soft;
    context.textAlign = "center";
    context.textBaseline = "middle";
    spread(xTicks, 15, (tick) => box.x(tick.at)).forEach((tick) => context.fillText(tick.text, box.x(tick.at), box.top - 9));
    context.fillText(xName, (box.left + box.right) / 2, 9);
    context.textAlign = "right";
    spread(yTicks, 13, (tick) => box.y(tick.at)).forEach((tick) => context.fillText(tick.text, box.left - 5, box.y(tick.at)));
    context.save();
    context.translate(9, (box.top + box.bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(yName, 0, 0);
    context.restore();
    (this.options.lit ?? []).forEach(({ row, col }) => this.light(context, box, row, col));
    this.options.overlay?.(context, box);
  }

  // A row or column that is pointed at, seen on every colour.
  light(context, box, row, col) {
    const [x, y, w, h] = row !== undefined ? [box.left, box.y(row), box.right - box.left, box.y(1) - box.y(0)] : [box.x(col), box.top, box.x(1) - box.x(0), box.bottom - box.top];
    for (const [width, ink] of [[3.5, palette.paper], [1.6, palette.accent]]) {
      context.lineWidth = width;
      context.strokeStyle = ink;
      context.strokeRect(x, y, w, h);
    }
  }

  lines(context, box) {
    const { xLines = [], yLines = [] } = this.options;
    const line = (x1, y1, x2, y2, strong) => {
      context.strokeStyle = strong ? palette.mark : palette.grid;
      context.lineWidth = strong ? 1.6 : 1;
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
    };
    xLines.forEach(({ at, strong }) => line(box.x(at), box.top, box.x(at), box.bottom, strong));
    yLines.forEach(({ at, strong }) => line(box.left, box.y(at), box.right, box.y(at), strong));
  }

  hover(event) {
    const { rows, cols, tell } = this.options, frame = this.canvas.getBoundingClientRect();
    if (!this.box || !tell) return;
    const j = Math.floor(cols * (event.clientX - frame.left - this.box.left) / (this.box.right - this.box.left));
    const i = Math.floor(rows * (event.clientY - frame.top - this.box.top) / (this.box.bottom - this.box.top));
    if (i < 0 || j < 0 || i >= rows || j >= cols) { this.options.leave?.(); return hideTip(); }
    this.options.point?.(i, j);
    const value = this.values[i * cols + j];
    showTip(event, Number.isNaN(value) ? tell(i, j) : `${tell(i, j)}: ${number(value)}`);
  }

  // For a file: the cells as pixels that stay sharp, everything around them as lines and letters.
  svg() {
    const { xTicks = [], yTicks = [], xLines = [], yLines = [], xName, yName, rows, cols } = this.options, { box } = this, width = Math.ceil(box.right + 8), height = Math.ceil(box.bottom + 10);
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [cols, rows];
    picture.getContext("2d").drawImage(this.picture(), 0, 0);
    const line = (x1, y1, x2, y2, strong) => svg("line", { x1, y1, x2, y2, stroke: strong ? palette.mark : palette.grid, "stroke-width": strong ? 1.6 : 1 });
    const text = (x, y, said, more = {}) => svg("text", { x, y, fill: palette.soft, "font-size": 12, "text-anchor": "middle", "dominant-baseline": "middle", ...more }, said);
    const drawing = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "Helvetica, Arial, sans-serif" }, svg("rect", { width, height, fill: palette.card }),
      svg("image", { href: picture.toDataURL(), x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top, preserveAspectRatio: "none", style: "image-rendering:pixelated" }),
      ...xLines.map(({ at, strong }) => line(box.x(at), box.top, box.x(at), box.bottom, strong)), ...yLines.map(({ at, strong }) => line(box.left, box.y(at), box.right, box.y(at), strong)),
      ...spread(xTicks, 15, (tick) => box.x(tick.at)).map((tick) => text(box.x(tick.at), box.top - 9, tick.text)), ...spread(yTicks, 13, (tick) => box.y(tick.at)).map((tick) => text(box.left - 5, box.y(tick.at), tick.text, { "text-anchor": "end" })),
      text((box.left + box.right) / 2, 9, xName), text(9, (box.top + box.bottom) / 2, yName, { transform: `rotate(-90 9 ${(box.top + box.bottom) / 2})` }));
    return new XMLSerializer().serializeToString(drawing);
  }

  rows() {
    const { rows, cols, xName, yName } = this.options;
    return [[`${yName} \\ ${xName}`, ...Array.from({ length: cols }, (_, j) => j + 1)], ...Array.from({ length: rows }, (_, i) => [i + 1, ...this.values.subarray(i * cols, (i + 1) * cols)])];
  }
}

// Ticks that would run into the one before are left out.
function spread(ticks, gap, place) {
  let last = -Infinity;
  return ticks.filter((tick) => { const at = place(tick), kept = at - last >= gap; if (kept) last = at; return kept; });
}

// A canvas whose pixels are the screen's; returns its context, width and height in CSS pixels.
function fitted(canvas) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  const wide = Math.round(width * ratio), high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return [context, width, height];
}

// A cross that is seen on every colour: dark on light.
function cross(context, x, y, r) {
  for (const [width, ink] of [[4, "#ffffff"], [1.7, "#000000"]]) {
    context.lineWidth = width;
    context.strokeStyle = ink;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(x - r, y - r); context.lineTo(x + r, y + r); context.moveTo(x + r, y - r); context.lineTo(x - r, y + r);
    context.stroke();
  }
  context.lineCap = "butt";
}

function showScale(id, limit) {
  const scale = document.querySelector(`[data-scale="${id}"]`), say = (x) => (x < 1e-3 ? x.toExponential(0) : Number(x.toPrecision(2)).toString());
  scale.replaceChildren(`−${say(limit)}`, document.createElement("i"), `+${say(limit)}`);
}
