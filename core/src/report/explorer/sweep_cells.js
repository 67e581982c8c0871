// One network of a sweep as a small picture: its spectrum at the origin, its loss, its verdict.

const COLOURS = { circuit: "--good", superposed: "--doubt", partial: "--part", "not-learned": "--bad", silent: "--soft", "other-kind": "--soft", "not-held": "--half-minus", unclear: "--soft", failed: "--mark" };
const ORDER = Object.keys(COLOURS);
const verdictOf = ({ verdict }) => verdict ?? "failed";

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Upper eigenvalues as pairs of 16 bits; those below mirror them.
function eigenvaluesOf(text) {
  const bytes = bytesOf(text), parts = new Int16Array(bytes.buffer, 0, bytes.length >> 1), all = [];
  for (let k = 0; k + 1 < parts.length; k += 2) all.push([parts[k] / 15_000, parts[k + 1] / 15_000]);
  return all;
}

function spectrumPicture({ spectrum, origin: [found, expected] }) {
  // All of them fit: a spectrum that reaches further is drawn smaller, its circle with it.
  const dots = eigenvaluesOf(spectrum), unit = 41 / Math.max(1.2, ...dots.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y)) + 0.04)), dot = (x, y) => `M${(50 + unit * x - 1.3).toFixed(1)} ${(45 - unit * y).toFixed(1)}a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0`;
  const path = dots.map(([x, y]) => dot(x, y) + (y ? dot(x, -y) : "")).join("");
  return svg("svg", { class: "small-chart", viewBox: "0 0 100 90", role: "img", "aria-label": dots.length ? `Spectrum at the origin: ${found} lasting eigenvalues of ${expected ?? "?"}` : "No spectrum" }, svg("circle", { cx: 50, cy: 45, r: unit, class: "ring" }), svg("path", { d: path, class: "dots" }));
}

function lossPicture({ curve, steps }) {
  const points = [...bytesOf(curve)].map((byte) => (byte - 200) / 25);
  if (!points.length) return svg("svg", { class: "small-chart", viewBox: "0 0 100 6", "aria-hidden": true });
  const x = (k) => 4 + 92 * k / Math.max(1, points.length - 1), y = (log) => 3 + 24 * Math.min(1, Math.max(0, (0.3 - log) / 5.3));
  return svg("svg", { class: "small-chart", viewBox: "0 0 100 30", role: "img", "aria-label": `Loss over ${steps} steps, from ${(10 ** points[0]).toPrecision(2)} to ${(10 ** points.at(-1)).toPrecision(2)}` }, svg("line", { x1: 4, x2: 96, y1: 27, y2: 27, class: "base" }), svg("path", { d: points.map((log, k) => `${k ? "L" : "M"}${x(k).toFixed(1)} ${y(log).toFixed(1)}`).join(""), class: "loss" }));
}

const shown = (x, digits = 4) => (x == null ? "---" : x < 1e-3 && x > 0 ? x.toExponential(1) : x.toFixed(digits));

function networkCard(network, folder) {
  const { name, seed, threshold, accuracy, loss, origin, orbit, failing, error, page } = network, kind = verdictOf(network), off = (place, [found, expected, angle]) => `${place} ${found == null ? "---" : `${found}${expected == null ? "" : ` of ${expected}`}`}${angle == null ? "" : `, ${shown(angle)} rad`}`;
  const title = () => [`seed ${seed}`, ...(threshold == null ? [] : [element("small", {}, `, threshold ${threshold}`)])], command = `ketbra report ${/^[\w./-]+$/.test(`${folder}/${name}`) ? `${folder}/${name}` : `'${folder}/${name}'`}`;
  return element("div", { class: "network", "data-name": name },
    page ? element("a", { class: "name", href: `${name.split("/").map(encodeURIComponent).join("/")}/report.html` }, ...title()) : element("span", { class: "name noted", tabindex: 0, "data-note": `${name}: its page is made by '${command}'.` }, ...title()),
    element("span", { class: `kind ${kind}`, tabindex: failing || error ? 0 : null, "data-note": error ?? (failing ? `Fails: ${failing.split(" ").join(", ")}.` : null) }, kind),
    spectrumPicture(network), lossPicture(network),
    element("p", {}, "accuracy ", element("b", {}, shown(accuracy)), element("br"), element("small", {}, `loss ${shown(loss)}`), element("br"), element("small", {}, off("origin", origin)), element("br"), element("small", {}, off("orbit", orbit))),
    ...(page ? [] : [copyButton("copy command", command)]));
}
