// The rule f: a line for each output, its truth tables where it is logic, its cycles, and the products that the state holds.

const wireText = ({ lag, component, sign }, j) => `u${j + 1} = ${sign < 0 ? "-" : " "}u${component + 1}[t-${lag}]`;
const sameWire = (a, b) => a.lag === b.lag && a.component === b.component && a.sign === b.sign;

function showRule(explorer) {
  const { data } = explorer, holder = byId("recurrence"), { recurrence } = data.verdict;
  const lines = () => (explorer.edited ? explorer.sources.map((source, j) => wireText(source, j).replace("=  ", "= ")) : recurrence ?? []);
  const show = () => {
    const texts = lines();
    holder.replaceChildren(...texts.map((text, j) => {
      const line = element("li", { tabindex: 0, "data-output": j }, text);
      links.from(line, j);
      return line;
    }));
    holder.hidden = !texts.length;
    showCycles(explorer);
  };
  if (data.task?.gates) byId("how-computed").textContent = "Each line says how the next output follows from past values of +1 and −1: a copy, a product, or logic that takes +1 as true.";
  if (data.task?.matrix) byId("how-computed").textContent = "Each line says how the next output is a weighted sum of past values.";
  if (!recurrence) byId("how-computed").textContent = `No rule could be read from this network; the doubts say why.${data.task?.gates ? " What follows is the rule that its task asks for." : ""}`;
  explorer.onUse(show);
  links.on((output) => holder.querySelectorAll("li").forEach((line) => line.classList.toggle("lit", output !== null && Number(line.dataset.output) === output)));
  show();
  showTables(data.task?.gates, recurrence);
  showProducts(data.products);
}

function showCycles(explorer) {
  const { sources, s, d } = explorer, place = byId("cycles");
  if (!sources || !(explorer.edited || explorer.data.verdict.recurrence)) { place.hidden = true; return; }
  const cycles = allCycles(sources, s, d).sort((a, b) => a.length - b.length);
  place.replaceChildren(`What is kept goes round in ${cycles.length} ${cycles.length === 1 ? "cycle" : "cycles"}: `, ...cycles.flatMap((cycle, k) => {
    const chip = element("button", { type: "button", class: "chip", title: `${cycle.length} contents, ${cycle.sign < 0 ? "sign flipped each time round" : "as they were after each round"}` }, `${cycle.length}${cycle.sign < 0 ? "−" : "+"}`);
    links.from(chip, Math.min(...cycle.outputs));
    return [k ? " " : "", chip];
  }), ` (steps until each is back; − where its sign has flipped by then).`);
}

// Truth tables of two to four inputs in full, with their columns in the order of the formula; a copy needs none.
function showTables(gates, lines) {
  const holder = byId("tables");
  if (!gates) { holder.remove(); return; }
  const sign = (x) => (x > 0 ? "+" : "−");
  holder.append(...gates.map((gate, j) => ({ ...gate, j })).filter(({ inputs }) => inputs.length !== 1).map(({ inputs, table, j }) => {
    const formula = lines?.[j] ?? "", place = ({ lag, component }) => (formula.indexOf(`u${component + 1}[t-${lag}]`) + 1 || Infinity);
    const order = inputs.map((_, q) => q).sort((a, b) => place(inputs[a]) - place(inputs[b]) || a - b), names = order.map((q) => `u${inputs[q].component + 1}[t−${inputs[q].lag}]`);
    if (!inputs.length || inputs.length > 4) return element("p", { class: "note", "data-output": j }, inputs.length ? `u${j + 1} depends on ${inputs.length} bits: a truth table of ${table.length} lines.` : `u${j + 1} is always ${sign(table[0])}1.`);
    // The last column changes fastest, as people count.
    const rows = table.map((_, row) => {
      const bit = (k) => row >> order.length - 1 - k & 1, value = table[order.reduce((m, q, k) => m | bit(k) << q, 0)];
      return element("tr", {}, ...order.map((_, k) => element("td", {}, sign(2 * bit(k) - 1))), element("td", { class: value > 0 ? "plus" : "minus" }, sign(value)));
    });
    const made = element("table", { class: "truth", "data-output": j }, element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)), element("th", { scope: "col" }, `u${j + 1}`))), element("tbody", {}, ...rows));
    links.from(made, j);
    return made;
  }));
}

function showProducts(products) {
  const holder = byId("products");
  if (!products) { holder.remove(); return; }
  const { by_degree: degrees, largest } = products, name = ({ of }) => of.map(({ variable, component }) => `u${component} in variable ${variable}`).join(" × ");
  const steps = degrees.map((share, k) => `${["contents alone", "with products of two", "of three", "of four", "of five"][k] ?? `of ${k + 1}`} ${share.toFixed(4)}`);
  byId("products-explain").textContent = `Share of the states' variance: ${steps.join(", ")}. The largest products that the state holds beside its contents, and how often their sign is read correctly:`;
  const most = Math.max(...largest.map(({ share }) => share), 1e-9);
  byId("products-list").replaceChildren(...largest.map((product) => element("li", {}, element("span", {}, name(product)), element("i", { style: `width:${(100 * product.share / most).toFixed(1)}%` }), element("span", {}, `${(100 * product.share).toFixed(1)} % of the variance, read ${product.read.toFixed(3)}`))));
  if (!largest.length) byId("products-list").append(element("li", {}, "None of them is large."));
}
