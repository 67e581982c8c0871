// Diverging colours with zero in the middle. The five anchors are the theme's: those of matplotlib's `coolwarm` in light,
// the same hues around a dark middle in dark.

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
  for (const name of ["ink", "soft", "line", "mark", "grid", "card", "paper", "shade", "plus", "minus", "accent", "bad"]) palette[name] = style(`--${name}`);
}

const level = (value, limit) => 3 * Math.round(128 + 128 * Math.max(-1, Math.min(1, value / limit || 0)));

function colour(value, limit = 1, alpha = 1) {
  const at = level(value, limit), t = palette.table;
  return `rgba(${t[at]},${t[at + 1]},${t[at + 2]},${alpha})`;
}

function startTheme(changed) {
  const wished = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const apply = () => {
    document.documentElement.dataset.theme = chosen ?? (wished.matches ? "dark" : "light");
    readTheme();
    changed();
  };
  wished.addEventListener("change", apply);
  document.getElementById("theme").addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    apply();
  });
  document.documentElement.dataset.theme = wished.matches ? "dark" : "light";
  readTheme();
}
