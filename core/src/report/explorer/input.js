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

// Arrow keys move within a grid of buttons.
function gridKeys(holder, cols) {
  holder.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -cols, ArrowDown: cols }[event.key];
    const cells = [...holder.children], at = cells.indexOf(event.target), next = cells[at + move];
    if (!move || !next) return;
    event.preventDefault();
    next.focus();
  });
}

// Recordings cannot be asked anything new: one chooses among their episodes.
function startEpisodes(explorer) {
  const section = document.getElementById("try"), count = explorer.recorded.length;
  section.dataset.title = "Episodes";
  section.querySelector("h2").textContent = "Recorded episodes";
  section.querySelector(".explain").textContent = "Nobody can run this network: these are episodes that were recorded, none of which the readers were fitted on.";
  const choice = element("select", { "aria-label": "Recorded episode" }, ...Array.from({ length: count }, (_, k) => element("option", { value: k }, `Episode ${k + 1} of ${count}`)));
  section.querySelector(".tools").replaceChildren(choice);
  const cells = [...document.querySelectorAll("#bits button")];
  cells.forEach((cell) => { cell.disabled = true; });
  choice.addEventListener("change", () => {
    explorer.episode = Number(choice.value);
    explorer.inputs = explorer.recorded[explorer.episode].inputs;
    cells.forEach((cell) => cell.setAttribute("aria-pressed", explorer.inputs[cell.place[0]][cell.place[1]] > 0));
    explorer.recompute();
  });
}

function startInput(explorer) {
  const { s, d } = explorer, $ = (id) => document.getElementById(id), bits = $("bits");
  bits.style.gridTemplateColumns = `repeat(${s}, auto)`;
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
  const set = (inputs) => { explorer.inputs = inputs; show(); explorer.recompute(); };
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
  const { across, down } = glyphs(s, d), write = $("write");
  if (across * down < 1) $("write-label").remove();
  else {
    write.maxLength = across * down;
    write.value = "3141".slice(0, across * down);
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

// A strip of outputs with crosses on wrong signs; returns a function that shows a run.
function outputStrip(canvas, explorer) {
  const { s, d, horizon } = explorer;
  const strip = new Heatmap(canvas, { xName: "output step", yName: "component" });
  const yTicks = Array.from({ length: d }, (_, j) => ({ at: j + 0.5, text: `${j + 1}` }));
  const xTicks = timeTicks(s, horizon).filter(({ at }) => at > s).map(({ at }) => ({ at: at - s, text: `${at - s}` }));
  return (outputs, wanted) => {
    const wrong = [];
    if (wanted) for (let k = 0; k < horizon; k++) for (let j = 0; j < d; j++) if (outputs[s + k][j] * wanted[s + k][j] <= 0) wrong.push([j, k]);
    strip.crosses = wrong;
    strip.cursor ??= () => {};
    strip.show({
      label: `Outputs over ${horizon} steps, ${wrong.length} wrong`, rows: d, cols: horizon, limit: 1, xTicks, yTicks, value: (j, k) => outputs[s + k][j], tell: (j, k) => `component ${j + 1}, output step ${k + 1}`,
      overlay: (context, box) => {
        context.strokeStyle = palette.mark;
        context.lineWidth = 1.6;
        const r = Math.min(5, 0.28 * Math.min(box.x(1) - box.x(0), box.y(1) - box.y(0)));
        strip.crosses.forEach(([j, k]) => {
          const x = box.x(k + 0.5), y = box.y(j + 0.5);
          context.beginPath();
          context.moveTo(x - r, y - r); context.lineTo(x + r, y + r); context.moveTo(x + r, y - r); context.lineTo(x - r, y + r);
          context.stroke();
        });
        if (strip.follows && player.step > s) {
          context.strokeStyle = palette.mark;
          context.lineWidth = 2;
          context.strokeRect(box.x(player.step - s - 1), box.top - 1, box.x(1) - box.x(0), box.bottom - box.top + 2);
        }
      },
    });
    strip.redraw = () => strip.draw();
    return { strip, wrong: wrong.length, all: horizon * d };
  };
}

const scoreText = ({ wrong, all }) => (wrong ? `${wrong} of ${all} signs wrong (accuracy ${(1 - wrong / all).toFixed(3)})` : `all ${all} signs right`);

function startOutputs(explorer) {
  const { s, d } = explorer, show = outputStrip(document.getElementById("outputs"), explorer), now = document.getElementById("now");
  let strip = null;
  const numbers = () => {
    const t = player.step, state = explorer.run.outputs[t - 1], wanted = explorer.run.wanted?.[t - 1];
    now.hidden = t <= s;
    if (t <= s) return;
    const row = (name, values, mark) => element("tr", {}, element("th", { scope: "row" }, name), ...[...values].map((x, j) => element("td", mark?.(j) ? { class: "wrong" } : {}, mark ? x.toFixed(2) : x > 0 ? "+1" : "−1")));
    const rows = [row(`step ${t - s}, said`, state, (j) => wanted && state[j] * wanted[j] <= 0)];
    if (wanted && explorer.binary) rows.push(row("expected", wanted));
    now.replaceChildren(...rows);
  };
  player.onRun(() => {
    const { outputs, wanted } = explorer.run, shown = show(outputs, wanted);
    strip = shown.strip;
    strip.follows = true;
    document.getElementById("score").textContent = wanted ? scoreText(shown) : "";
    document.getElementById("outputs-note").textContent = wanted ? "What the network says after the input has ended; a cross marks a wrong sign." : "What the network says after the input has ended. No task is known, so nothing is right or wrong.";
    numbers();
  });
  let shownStep = -1;
  player.onTime(() => {
    if (player.step === shownStep && player.playing) return;
    shownStep = player.step;
    if (d <= 16) numbers();
    strip?.draw();
  });
}
