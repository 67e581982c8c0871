// Digits of 3 x 5 and 3 x 3 bits, a row of three bits an entry.
const TALL = ["75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111", "75757", "75717"];
const SMALL = ["757", "627", "623", "737", "571", "326", "477", "711", "777", "771"];

// The font of which most digits fit on the pattern, the tall one if both hold four.
function glyphs(s, d) {
  const room = (height) => ({ height, across: Math.floor((s + 1) / 4), down: Math.floor((d + 1) / (height + 1)), font: height === 5 ? TALL : SMALL });
  const fits = ({ across, down }) => Math.min(4, across * down), tall = room(5), small = room(3);
  return fits(small) > fits(tall) ? small : tall;
}

function written(text, s, d) {
  const { height, across, down, font } = glyphs(s, d), inputs = Array.from({ length: s }, () => new Float64Array(d).fill(-1));
  [...text].filter((c) => c >= "0" && c <= "9").slice(0, across * down).forEach((digit, at) => {
    const left = 4 * (at % across), top = (height + 1) * Math.floor(at / across);
    [...font[digit]].forEach((row, y) => { for (let x = 0; x < 3; x++) if (Number(row) >> (2 - x) & 1) inputs[left + x][top + y] = 1; });
  });
  return inputs;
}

function examplePattern(s, d) {
  const { across, down } = glyphs(s, d);
  if (across * down >= 1) return written("3141", s, d);
  return Array.from({ length: s }, (_, t) => Float64Array.from({ length: d }, (_, j) => ((3 * t + 5 * j + t * j) % 4 < 2 ? 1 : -1)));
}

// Recordings cannot be asked anything new: one chooses among their episodes.
function startEpisodes(explorer) {
  const section = byId("try"), count = explorer.recorded.length;
  section.dataset.title = "Episodes";
  section.querySelector("h2").textContent = "Recorded episodes";
  section.querySelector(".explain").textContent = "Nobody can run this network: these are episodes that were recorded, none of which the readers were fitted on.";
  const choice = element("select", { "aria-label": "Recorded episode" }, ...Array.from({ length: count }, (_, k) => element("option", { value: k }, `Episode ${k + 1} of ${count}`)));
  section.querySelector(".tools").replaceChildren(choice);
  const cells = [...document.querySelectorAll("#bits button")];
  cells.forEach((cell) => { cell.disabled = true; });
  explorer.choose = (episode) => {
    explorer.episode = Math.max(0, Math.min(count - 1, episode || 0));
    choice.value = explorer.episode;
    explorer.inputs = explorer.recorded[explorer.episode].inputs;
    cells.forEach((cell) => cell.setAttribute("aria-pressed", explorer.inputs[cell.place[0]][cell.place[1]] > 0));
    explorer.recompute();
  };
  choice.addEventListener("change", () => explorer.choose(Number(choice.value)));
}

function startInput(explorer) {
  const { s, d } = explorer, bits = byId("bits");
  bits.style.gridTemplateColumns = `repeat(${s}, minmax(0, var(--bit)))`;
  bits.style.setProperty("--bit", s > 12 ? "1.35rem" : "2.1rem");
  const cells = [];
  for (let j = 0; j < d; j++) {
    for (let t = 0; t < s; t++) {
      const cell = element("button", { type: "button", tabindex: j + t ? -1 : 0 });
      cell.place = [t, j];
      cells.push(cell);
    }
  }
  bits.append(...cells);
  gridKeys(bits, s);
  const show = () => cells.forEach((cell) => {
    const [t, j] = cell.place, on = explorer.inputs[t][j] > 0;
    cell.setAttribute("aria-pressed", on);
    cell.setAttribute("aria-label", `step ${t + 1}, component ${j + 1}: ${on ? "+1" : "−1"}`);
  });
  if (!explorer.trained) { show(); startEpisodes(explorer); return; }
  const set = (inputs) => { explorer.inputs = inputs; show(); if (player.playing) player.set(false); if (player.step <= s) player.seek(s + explorer.horizon); explorer.recompute(); };
  explorer.present = (inputs) => { explorer.inputs = inputs; show(); };
  let brush = null;
  const paint = (cell) => {
    const [t, j] = cell.place;
    if (explorer.inputs[t][j] === brush) return;
    explorer.inputs[t][j] = brush;
    set(explorer.inputs);
  };
  bits.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest("button");
    if (!cell) return;
    event.preventDefault();
    cell.focus();
    bits.setPointerCapture?.(event.pointerId);
    brush = -explorer.inputs[cell.place[0]][cell.place[1]];
    paint(cell);
  });
  bits.addEventListener("pointermove", (event) => {
    const cell = brush !== null && document.elementFromPoint(event.clientX, event.clientY);
    if (cell?.place && bits.contains(cell)) paint(cell);
  });
  const stop = () => { brush = null; };
  bits.addEventListener("pointerup", stop);
  bits.addEventListener("pointercancel", stop);
  bits.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    const [t, j] = event.target.place;
    explorer.inputs[t][j] *= -1;
    set(explorer.inputs);
  });
  const { across, down } = glyphs(s, d), write = byId("write"), digits = "3141".slice(0, across * down);
  if (across * down < 1) byId("write-label").remove();
  else {
    write.maxLength = across * down;
    write.value = digits;
    write.addEventListener("input", () => set(written(write.value, s, d)));
  }
  const patterns = {
    random: () => Array.from({ length: s }, () => Float64Array.from({ length: d }, () => (Math.random() < 0.5 ? -1 : 1))),
    flip: () => explorer.inputs.map((u) => u.map((x) => -x)),
    example: () => examplePattern(s, d),
  };
  document.querySelectorAll("[data-pattern]").forEach((button) => button.addEventListener("click", () => set(patterns[button.dataset.pattern]())));
  show();
}
