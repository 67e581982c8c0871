// A sweep: the table of its cells, each of which opens to its networks.

// Name, what it is sorted by, and what it means.
const COLUMNS = [
  ["task", ({ task }) => task, "What the networks were trained to do."],
  ["units", ({ hidden }) => hidden, "Hidden units of each network."],
  ["L2", ({ l2 }) => l2, "L2 regularization in training, also called weight decay."],
  ["variant", ({ variant }) => variant, "What else is unusual about these networks."],
  ["circuits", (cell) => -(cell.counts.circuit ?? 0) / cell.networks.length, "Networks with the verdict circuit; the bar has a part for each verdict."],
  ["accuracy", ({ accuracy }) => -(accuracy ?? -1), "Share of right signs: mean over seeds, of each the best network, and its 95 % interval."],
  ["error at origin", ({ error }) => error ?? 9, "Mean angle error, in radians, of the eigenvalues of the weights: mean over the seeds where as many last as theory asks for."],
  ["error on orbit", ({ error_orbit: error }) => error ?? 9, "The same where the network really runs, on its orbit."],
  ["recovered", ({ recovered }) => -(recovered ?? -1), "Of the networks that learned the task and have as many lasting eigenvalues as theory asks for, those in which every variable is found."],
];

const interval = (value, range, digits) => (value == null ? ["---"] : [shown(value, digits), ...(range ? [" ", element("small", {}, `${shown(range[0], digits)} to ${shown(range[1], digits)}`)] : [])]);

async function start(data) {
  startTheme(() => {});
  const mark = startTerms(data.glossary), { networks } = data, cells = data.cells.map((cell, k) => ({ ...cell, index: k, networks: networks.filter((network) => network.cell === k) }));
  cells.forEach((cell) => { cell.counts = countsOf(cell.networks); });
  const all = countsOf(networks), view = { verdict: null, order: "seed", sort: null, open: new Set() };
  window.ketbra = { data, view, exported };
  byId("about").textContent = `${data.title} · sweep of ${networks.length} networks${data.asked > networks.length ? `, ${data.asked - networks.length} more have no result yet` : ""} · ${cells.length} ${cells.length === 1 ? "cell" : "cells"}`;
  byId("sentence").textContent = `${all.circuit ?? 0} of ${networks.length} networks are circuits${ORDER.filter((kind) => kind !== "circuit" && all[kind]).map((kind) => `, ${all[kind]} ${kind}`).join("")}.`;
  byId("pages-note").textContent = networks.every(({ page }) => page) ? "Every network has its page: open it by its name." : `A name that is a link leads to the network's own page. For any other, 'ketbra report ${data.folder}/NAME' writes the page into the network's folder, and 'ketbra report ${data.folder}' then links to it.`;
  const table = byId("cells"), body = element("tbody", {});
  const show = () => {
    const order = [...cells];
    if (view.sort) order.sort((a, b) => { const [x, y] = [a, b].map(COLUMNS[view.sort[0]][1]); return view.sort[1] * (x < y ? -1 : x > y ? 1 : 0) || a.index - b.index; });
    const seen = order.filter((cell) => !view.verdict || cell.counts[view.verdict]);
    body.replaceChildren(...seen.flatMap((cell) => [cellRow(cell, view, toggle), ...(view.open.has(cell.index) ? [networksRow(cell, view, data.folder)] : [])]));
    byId("all").textContent = view.open.size ? "Close all" : "Open all";
    byId("order").value = view.order;
    filters.forEach((button) => button.setAttribute("aria-pressed", button.dataset.verdict === (view.verdict ?? "")));
    heads.forEach((head, k) => { if (view.sort?.[0] === k) head.setAttribute("aria-sort", view.sort[1] > 0 ? "ascending" : "descending"); else head.removeAttribute("aria-sort"); });
  };
  const toggle = (index) => { if (!view.open.delete(index)) view.open.add(index); show(); };
  const heads = COLUMNS.map(([name, , means], k) => {
    const button = element("button", { type: "button", class: "noted", "data-note": means }, name);
    button.addEventListener("click", () => { view.sort = view.sort?.[0] === k ? [k, -view.sort[1]] : [k, 1]; show(); });
    return element("th", { scope: "col" }, button);
  });
  // What is the same in every cell is said once.
  const same = cells.every(({ variant }) => variant === cells[0].variant);
  table.classList.toggle("usual", same);
  if (same && cells[0]?.variant) byId("about").append(` · ${cells[0].variant}`);
  table.append(element("thead", {}, element("tr", {}, element("th", {}), ...heads)), body);
  const filters = [null, ...ORDER.filter((kind) => all[kind])].map((kind) => {
    const button = element("button", { type: "button", "aria-pressed": kind === null }, ...(kind ? [element("i", { style: `background:var(${COLOURS[kind]})` }), `${kind} ${all[kind]}`] : [`all ${networks.length}`]));
    button.dataset.verdict = kind ?? "";
    button.addEventListener("click", () => { view.verdict = kind; show(); });
    return button;
  });
  byId("verdicts").append(...filters);
  byId("order").addEventListener("change", (event) => { view.order = event.target.value; show(); });
  byId("all").addEventListener("click", () => { if (view.open.size) view.open.clear(); else cells.forEach(({ index }) => view.open.add(index)); show(); });
  if (cells.length === 1) view.open.add(0);
  const save_ = element("button", { type: "button", class: "quiet" }, "Save as CSV");
  save_.addEventListener("click", () => save("networks.csv", csvOf(sweepRows(networks)), "text/csv"));
  byId("save").append(save_);
  show();
  mark();
  await keepAddress({ said: () => sweepView(view), restore: (wanted) => { restoreSweep(wanted, view, cells, all); show(); } });
  await painted();
  window.ketbra.readyAt = window.ketbra.completeAt = performance.now();
}

// What the address says of a sweep: verdict, order of the networks, sorted column, open cells.
function sweepView({ verdict, order, sort, open }) {
  return { ...(verdict ? { verdict } : {}), ...(order === "seed" ? {} : { order }), ...(sort ? { sort: `${sort[1] < 0 ? "-" : ""}${COLUMNS[sort[0]][0]}` } : {}), ...(open.size ? { open: [...open].sort((a, b) => a - b).join(".") } : {}) };
}

function restoreSweep(wanted, view, cells, counts) {
  const verdict = wanted.get("verdict"), order = wanted.get("order"), sort = wanted.get("sort") ?? "", column = COLUMNS.findIndex(([name]) => name === sort.replace(/^-/, ""));
  view.verdict = counts[verdict] ? verdict : null;
  view.order = [...byId("order").options].some(({ value }) => value === order) ? order : "seed";
  view.sort = column < 0 ? null : [column, sort.startsWith("-") ? -1 : 1];
  view.open = new Set((wanted.get("open") ?? "").split(".").filter(Boolean).map(Number).filter((k) => cells[k]));
}

function countsOf(networks) {
  const counts = {};
  networks.forEach((network) => { counts[verdictOf(network)] = (counts[verdictOf(network)] ?? 0) + 1; });
  return counts;
}

const sweepRows = (networks) => [["name", "seed", "threshold", "verdict", "failing", "accuracy", "loss", "origin found", "origin expected", "origin error", "orbit found", "orbit expected", "orbit error", "error"], ...networks.map((n) => [n.name, n.seed, n.threshold ?? "", verdictOf(n), n.failing ?? "", n.accuracy ?? "", n.loss ?? "", ...n.origin.map((x) => x ?? ""), ...n.orbit.map((x) => x ?? ""), n.error ?? ""])];

function cellRow(cell, view, toggle) {
  const open = view.open.has(cell.index), button = element("button", { type: "button", class: "toggle", "aria-expanded": open, "aria-label": `${cell.task}, ${cell.hidden} units, L2 ${cell.l2}: its networks` }, open ? "▾" : "▸");
  const said = ORDER.filter((kind) => cell.counts[kind]).map((kind) => `${cell.counts[kind]} ${kind}`).join(", ");
  const bar = element("span", { class: "bar", role: "img", "aria-label": said, "data-note": said }, ...ORDER.filter((kind) => cell.counts[kind]).map((kind) => element("i", { style: `width:${100 * cell.counts[kind] / cell.networks.length}%;background:var(${COLOURS[kind]})` })));
  const matched = (count) => (count === cell.seeds ? [] : [" ", element("small", {}, `${count} of ${cell.seeds} seeds`)]);
  const made = element("tr", { class: "cell", "data-cell": cell.index }, element("td", {}, button), element("td", {}, element("b", {}, cell.task)), element("td", {}, cell.hidden), element("td", {}, cell.l2), element("td", { class: "left" }, cell.variant || "as usual"),
    element("td", {}, bar, " ", element("small", {}, `${cell.counts.circuit ?? 0} of ${cell.networks.length}`)), element("td", {}, ...interval(cell.accuracy, cell.accuracy_interval, 4)), element("td", {}, ...interval(cell.error, cell.error_interval, 4), ...matched(cell.matched)), element("td", {}, ...interval(cell.error_orbit, cell.error_orbit_interval, 4), ...matched(cell.matched_orbit)), element("td", {}, cell.recovered == null ? "---" : `${Math.floor(100 * cell.recovered + 1e-9)} % of ${cell.converged}`));
  made.addEventListener("click", () => toggle(cell.index));
  return made;
}

function networksRow(cell, view, folder) {
  const value = { seed: (n) => n.seed, accuracy: (n) => n.accuracy ?? -1, error: (n) => n.orbit[2] ?? 9, loss: (n) => n.loss ?? 9e9, verdict: (n) => ORDER.indexOf(verdictOf(n)) }[view.order];
  const seen = cell.networks.filter((network) => !view.verdict || verdictOf(network) === view.verdict).sort((a, b) => value(a) - value(b) || a.seed - b.seed);
  return element("tr", { class: "opened" }, element("td", { colspan: COLUMNS.length + 1 }, element("div", { class: "networks" }, ...seen.map((network) => networkCard(network, folder)))));
}
