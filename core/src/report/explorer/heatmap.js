// A matrix as coloured cells, with axis names, lines between groups, and values under the pointer.

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";
const drawn = new Set();

// After a change of theme.
function redrawAll() { drawn.forEach((map) => { map.cached = null; map.draw(); }); }

class Heatmap {
  // options: label, xName, yName, and after `show`: rows, cols, value(i, j), limit, xLines, yLines, xTicks, yTicks, tell(i, j), overlay(context, box)
  constructor(canvas, options) {
    this.canvas = canvas;
    this.options = options;
    canvas.setAttribute("role", "img");
    drawn.add(this);
    new ResizeObserver(() => this.draw()).observe(canvas);
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", hideTip);
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
    this.options.overlay?.(context, box);
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
    if (i < 0 || j < 0 || i >= rows || j >= cols) return hideTip();
    showTip(event, `${tell(i, j)}: ${this.values[i * cols + j].toFixed(3)}`);
  }
}

// Ticks that would run into each other are left out, evenly.
function spread(ticks, gap, place) {
  if (ticks.length < 2) return ticks;
  const room = Math.abs(place(ticks[1]) - place(ticks[0])), every = Math.max(1, Math.ceil(gap / Math.max(room, 0.1)));
  return ticks.filter((_, k) => k % every === 0);
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

function showTip(event, text) {
  const tip = document.getElementById("tip");
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.max(8, event.clientY - tip.offsetHeight - 12)}px`;
}

function hideTip() { document.getElementById("tip").hidden = true; }

function showScale(id, limit) {
  const scale = document.querySelector(`[data-scale="${id}"]`), say = (x) => (x < 1e-3 ? x.toExponential(0) : Number(x.toPrecision(2)).toString());
  scale.replaceChildren(`−${say(limit)}`, document.createElement("i"), `+${say(limit)}`);
}
