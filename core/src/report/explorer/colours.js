// Diverging colours with zero in the middle: blue is minus, red is plus, told apart by every kind of colour vision. The five
// anchors are the theme's: those of matplotlib's `coolwarm` in light, the same hues around a dark middle in dark.

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const ANCHORS = ["--minus", "--half-minus", "--middle", "--half-plus", "--plus"];
let palette = null;

function readTheme() {
  const anchors = ANCHORS.map((name) => [1, 3, 5].map((at) => parseInt(style(name).slice(at, at + 2), 16)));
  const table = new Uint8ClampedArray(257 * 3);
  for (let i = 0; i <= 256; i++) {
    const k = Math.min(3, i >> 6), part = i / 64 - k;
    table.set(anchors[k].map((x, c) => Math.round(x + (anchors[k + 1][c] - x) * part)), 3 * i);
  }
  palette = { table };
  for (const name of ["ink", "soft", "line", "mark", "grid", "card", "paper", "shade", "plus", "minus", "accent", "bad", "learned", "halo"]) palette[name] = style(`--${name}`);
}

const level = (value, limit) => 3 * Math.round(128 + 128 * Math.max(-1, Math.min(1, value / limit || 0)));

function colour(value, limit = 1) {
  const at = level(value, limit), t = palette.table;
  return `rgb(${t[at]},${t[at + 1]},${t[at + 2]})`;
}

// The size that all but a few values stay below: the scale of a picture, so that small states are not grey and outliers do
// not wash out the rest.
function quantileLimit(values, share = 0.995) {
  const sizes = Float64Array.from(values, Math.abs).sort();
  return sizes[Math.min(sizes.length - 1, Math.floor(share * sizes.length))] || 1;
}

// Redraws what is painted after a change of theme; the theme is remembered.
function startTheme(changed) {
  const wished = matchMedia("(prefers-color-scheme: dark)");
  const apply = (theme) => { document.documentElement.dataset.theme = theme; readTheme(); changed(); };
  wished.addEventListener("change", () => { if (!remembered.get("theme")) apply(wished.matches ? "dark" : "light"); });
  document.getElementById("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    remembered.set("theme", theme);
    apply(theme);
  });
  readTheme();
}
