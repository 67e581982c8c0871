// Two networks on one clock, side by side: what each does with the same input, and where they differ.

const LETTERS = ["A", "B"];

async function start({ sides, comparison }) {
  startTheme(() => { redrawAll(); player.ran(); });
  const explorers = sides.map(makeExplorer), [a, b] = explorers, same = a.s === b.s && a.d === b.d, mark = startTerms(sides[0].glossary);
  // Inputs end at the same moment.
  const clock = { s: Math.max(a.s, b.s), horizon: Math.min(a.horizon, b.horizon) };
  const still = location.hash.length > 1 || calm();
  window.ketbra = { explorers, player, links, exported };
  startPlayer(clock);
  explorers.forEach((explorer) => { explorer.horizon = clock.horizon; });
  byId("sentence").textContent = pairSentence(sides);
  byId("clock-note").textContent = same ? "Both see the same input at the same time." : "Their inputs have different sizes: each sees its own, and both inputs end at the same moment.";
  byId("sides").append(...explorers.map((explorer, k) => sideOf(explorer, k, clock)));
  const shared = same ? startShared(a, b) : null;
  if (!same) byId("try").remove();
  showContents();
  explorers.forEach((explorer) => explorer.recompute());
  await painted();
  window.ketbra.readyAt = performance.now();
  if (still) player.seek(clock.s + clock.horizon); else player.playOnce();
  if (comparison) showComparison(comparison); else byId("compared").remove();
  compareRules(sides);
  compareClaims(sides);
  byId("steps").append(...explorers.map(stepOf));
  byId("spectra").append(...explorers.map(spectrumOf));
  mark();
  await keepAddress({ said: () => (shared ? seenNow(shared) : { t: player.step }), restore: (wanted) => restorePair(wanted, shared), still: () => player.playing });
  keepTime(window.ketbra.address);
  window.ketbra.completeAt = performance.now();
}

function pairSentence(sides) {
  const [a, b] = sides, kinds = sides.map(({ verdict }) => verdict.kind), same = a.verdict.recurrence && JSON.stringify(a.verdict.recurrence) === JSON.stringify(b.verdict.recurrence);
  const what = kinds[0] === kinds[1] ? (kinds[0] === "circuit" ? "Both networks are circuits" : `Both networks get the verdict ${kinds[0]}`) : `${a.meta.title} gets the verdict ${kinds[0]}, ${b.meta.title} the verdict ${kinds[1]}`;
  return `${what}, ${same ? "and they follow the same rule" : a.verdict.recurrence && b.verdict.recurrence ? `${kinds[0] === kinds[1] ? "but" : "and"} they follow different rules` : "and not both rules could be read"}.`;
}

function sideOf(explorer, k, clock) {
  const { data } = explorer, room = element("div", { class: "wheel-room" }), score = element("p", { class: "score", role: "status" }), caption = element("figcaption", { class: "below" });
  const figures = data.verdict.figures.map(({ name, value, note }) => element("span", { class: "noted", tabindex: 0, "data-note": `${name}: ${note}.`, "data-figure": name }, `${name[0].toLowerCase()}${name.slice(1)} `, element("b", {}, value)));
  const made = element("article", { class: "side", "data-side": LETTERS[k] },
    element("p", { class: "eyebrow" }, element("span", { class: `kind ${data.verdict.kind}`, tabindex: 0, "data-note": data.verdict.definition }, data.verdict.kind), ` ${LETTERS[k]} · ${data.meta.title} · ${data.meta.made_of ?? `${data.meta.hidden} hidden units`}`),
    element("p", { class: "told", "data-terms": "" }, data.story.headline), element("p", { class: "figures-line pair-figures" }, ...figures), element("figure", {}, room, caption), score);
  const wheel = new Wheel(room, explorer, { radius: 138, offset: clock.s - explorer.s });
  offerExport(caption, `run-${LETTERS[k]}`, wheel);
  player.onRun(() => { if (explorer.run) score.textContent = explorer.run.wanted ? `On its own task: ${scoreText(explorer.wrongSigns())}.` : ""; });
  return made;
}

// One grid of bits for both.
function startShared(a, b) {
  const both = Object.create(a, { inputs: { get: () => a.inputs, set: (inputs) => { a.inputs = inputs; b.inputs = inputs; } }, recompute: { value: () => { a.recompute(); b.recompute(); } } });
  b.inputs = a.inputs;
  startInput(both);
  return both;
}

function restorePair(wanted, shared) {
  const inputs = shared && wantedInputs(wanted, shared);
  if (inputs) { shared.present(inputs); shared.recompute(); }
  if (wanted.has("t")) player.seek(Number(wanted.get("t")) || 0);
}

const row = (kind, ...cells) => element("tr", {}, ...cells.map((cell, k) => element(kind, k ? {} : { scope: kind === "th" ? "col" : "row" }, cell ?? "")));

// What `ketbra compare` found, where it made the page.
function showComparison({ verdict, definition, reasons, claims, measures }) {
  byId("compared").hidden = false;
  byId("compared-said").append(element("span", { class: "kind", tabindex: 0, "data-note": definition }, verdict.replace("-", " ")), ` ${reasons.join(" ")}`);
  byId("compared-claims").append(row("th", "claim", "measured"), ...claims.map(({ statement, figure, holds }) => row("td", statement, element("span", { class: holds ? "ok" : "bad" }, `${holds ? "holds" : "FAILS"}: ${figure}`))));
  byId("compared-measures").append(row("th", "measure", "apart"), ...measures.map(([name, value]) => row("td", name, value === null ? "not measured" : value.toPrecision(3))));
}

function compareRules(sides) {
  const rules = sides.map(({ verdict }) => verdict.recurrence ?? []), count = Math.max(...rules.map((lines) => lines.length)), table = byId("rules-table");
  // A rule that could not be read differs from nothing: nobody knows it.
  const unread = LETTERS.slice(0, 2).filter((_, k) => !rules[k].length), known = (lines) => lines.every((line) => line != null);
  let differ = 0, compared = 0;
  table.append(row("th", "A", "B"), ...Array.from({ length: count }, (_, j) => {
    const lines = rules.map((rule) => rule[j]), made = row("td", ...lines);
    if (known(lines)) compared++;
    if (known(lines) && lines[0] !== lines[1]) { differ++; made.classList.add("differs"); }
    links.from(made, j);
    return made;
  }));
  const partly = compared < count ? ` of those that were read in both, and ${count - compared} were read in one alone` : "";
  byId("rules-explain").textContent = !count ? "Neither rule could be read." : unread.length ? `The rule of ${unread[0]} could not be read: there is nothing to compare.` : differ ? `${differ} of ${compared} lines differ${partly}.` : `All ${compared} lines are the same${partly}.`;
}

function compareClaims(sides) {
  const names = [...new Set(sides.flatMap(({ verdict }) => verdict.claims.map(({ name }) => name)))], of = (side, name) => side.verdict.claims.find((claim) => claim.name === name);
  byId("claims-table").append(row("th", "claim", "A", "B"), ...names.map((name) => {
    const [a, b] = sides.map((side) => of(side, name)), said = (claim) => claim && element("span", { class: claim.holds ? "ok" : "bad" }, `${claim.holds ? "holds" : "FAILS"}: ${claim.figure}`), made = row("td", (a ?? b).statement, said(a), said(b));
    if (a?.holds !== b?.holds) made.classList.add("differs");
    return made;
  }));
}

function stepOf({ memories, data, d }, k) {
  const caption = element("figcaption", {}, element("b", {}, `${LETTERS[k]} · ${data.meta.title}`)), canvas = element("canvas", { class: "square" }), made = element("figure", {}, caption, memories?.blocks ? canvas : element("p", { class: "note" }, data.memories_missing ?? ""));
  if (!memories?.blocks) return made;
  const core = memories.members.length, size = memories.blocks.rows, lines = [], ticks = [];
  memories.members.forEach((slot, at) => { if (at === 0 || Math.floor(slot / d) !== Math.floor(memories.members[at - 1] / d)) { if (at) lines.push({ at }); ticks.push({ at: at + 0.5, text: `${Math.floor(slot / d) + 1}` }); } });
  const map = new Heatmap(canvas, { xName: "from variable (1 oldest)", yName: "to variable" }), name = (at) => nameOf(memories.members[at], d);
  map.show({ label: `One step between ${core} memories of ${data.meta.title}`, rows: core, cols: core, limit: 1, value: (i, j) => memories.blocks.data[i * size + j], xLines: lines, yLines: lines, xTicks: ticks, yTicks: ticks, tell: (i, j) => `from ${name(j)} to ${name(i)}` });
  offerExport(caption, `step-${LETTERS[k]}`, map);
  return made;
}

function spectrumOf({ data, plain }, k) {
  const place = data.spectra.orbit ? "orbit" : "origin", spectrum = data.spectra[place], room = element("div", { class: "chart-room" }), caption = element("figcaption", {}, element("b", {}, `${LETTERS[k]}: ${spectrumTitle(place, plain, data.spectra.in_memories).toLowerCase()}`));
  if (spectrum) offerExport(caption, `spectrum-${LETTERS[k]}`, new SpectrumChart(room, spectrum, data.spectra.theory, { label: spectrumNote(spectrum) }));
  return element("figure", {}, caption, room, element("p", { class: "note" }, spectrum ? spectrumNote(spectrum) : ""));
}
