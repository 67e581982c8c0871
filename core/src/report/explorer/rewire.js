// Another rule for the same network: on the wheel, in a list, or a named task. Every change applies at once.

function startRewire(explorer) {
  const { data, s, d } = explorer, prepared = explorer.trained && data.task?.sources && data.edit;
  if (!prepared) { byId("edit").remove(); return null; }
  for (const name of ["code", "memories", "readers"]) prepared[name] = matrixOf(prepared[name]);
  const original = data.task.sources, copy = (sources) => sources.map((source) => ({ ...source }));
  const editor = { wished: copy(original), chosen: 0, listeners: [], busy: null };
  const changed = () => editor.listeners.forEach((listener) => listener());

  // Two frames, so that the message is on the screen before the work starts.
  editor.apply = () => {
    editor.busy ??= new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => { editor.busy = null; rewrite(); done(); })));
    byId("edit-status").textContent = "Rewriting the weights …";
    changed();
    return editor.busy;
  };
  const rewrite = () => {
    const sources = copy(editor.wished), started = performance.now();
    if (player.playing) player.set(false);
    if (sources.every((source, j) => sameWire(source, original[j]))) { restore(); return; }
    const made = edit(explorer.trained, prepared, original, sources, s, d);
    if (!made) { byId("edit-status").textContent = `This f needs more contents than the network has units (${prepared.code.rows}).`; return; }
    explorer.rewired = { ...made, sources };
    byId("edit-status").textContent = editText(explorer.rewired, performance.now() - started);
    byId("edited-tools").hidden = false;
    byId("before-after").hidden = false;
    explorer.use("edited");
    if (player.step <= s) player.seek(s + explorer.horizon);
  };
  const restore = () => {
    editor.wished = copy(original);
    explorer.rewired = null;
    byId("edit-status").textContent = "";
    byId("edited-tools").hidden = byId("before-after").hidden = true;
    changed();
    explorer.use("trained");
  };
  editor.set = (sources) => { editor.wished = copy(sources); return editor.apply(); };
  editor.change = (output, source) => { editor.wished[output] = { ...source }; editor.chosen = output; return editor.apply(); };
  byId("restore").addEventListener("click", restore);
  byId("download").addEventListener("click", () => save("edited.safetensors", editor.file(), "application/octet-stream"));
  // What the command line opens: the weights, the activation and the new rule.
  editor.file = () => safetensors(explorer.rewired.network, { activation: explorer.trained.layers[0].activation, task: taskText(explorer.rewired.sources, s, d, presetOf(explorer.rewired.sources) ?? "edited") });
  const presetOf = (sources) => Object.entries(data.presets ?? {}).find(([, wires]) => wires.every((wire, j) => sameWire(wire, sources[j])))?.[0];
  document.querySelectorAll("[name=network]").forEach((choice) => choice.addEventListener("change", () => explorer.use(choice.value)));
  editor.presetOf = presetOf;
  return editor;
}

function editText({ accuracy, mode, fresh, members, share }, time) {
  const how = mode === "least" ? "only what the new f does otherwise is added, and the rest stays" : mode === "transplant" || fresh >= members.length ? "nothing of the network's own code could be kept" : fresh ? `${fresh} of ${members.length} contents moved to fresh units` : "every content stays where the network kept it";
  return `Done: ${mode === "transplant" ? "replaces" : "changes"} ${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} % of the weights (size of the difference over that of the old weights), in ${(time / 1000).toFixed(2)} s without training: ${how}. On random inputs the edited network gets ${percent(accuracy)} % of the signs of the new task right.`;
}

// The keyboard's way: an output, its source, its sign.
function startEditList(explorer, editor) {
  const { data, s, d } = explorer, original = data.task.sources, wires = byId("wires"), grid = byId("sources"), preset = byId("preset");
  const buttons = original.map((_, j) => {
    const button = element("button", { type: "button", role: "radio" });
    button.addEventListener("click", () => { editor.chosen = j; show(); });
    links.from(button, j);
    return button;
  });
  wires.append(...buttons);
  grid.style.gridTemplateColumns = `repeat(${s}, minmax(0, var(--bit)))`;
  grid.style.setProperty("--bit", s > 12 ? "1.2rem" : "1.6rem");
  const cells = Array.from({ length: s * d }, (_, k) => {
    const c = Math.floor(k / s), variable = k % s + 1, lag = s + 1 - variable, cell = element("button", { type: "button", "aria-label": `copy variable ${variable}, component ${c + 1}`, title: `u${c + 1}[t−${lag}]` });
    if (data.edit.slots.includes((variable - 1) * d + c)) cell.classList.add("kept");
    cell.addEventListener("click", () => editor.change(editor.chosen, { lag, component: c, sign: editor.wished[editor.chosen].sign }));
    cell.wire = [lag, c];
    return cell;
  });
  grid.append(...cells);
  gridKeys(grid, s);
  const signs = [...document.querySelectorAll("[name=sign]")];
  signs.forEach((choice) => choice.addEventListener("change", () => editor.change(editor.chosen, { ...editor.wished[editor.chosen], sign: Number(choice.value) })));
  const presets = Object.keys(data.presets ?? {});
  preset.append(element("option", { value: "" }, "something of your own"), ...presets.map((name) => element("option", { value: name }, name)));
  if (!presets.length) byId("preset-tools").remove();
  preset.addEventListener("change", () => { if (preset.value) editor.set(data.presets[preset.value]); });
  const show = () => {
    const { wished, chosen } = editor, now = wished[chosen];
    buttons.forEach((button, j) => {
      button.textContent = wireText(wished[j], j);
      button.setAttribute("aria-checked", j === chosen);
      button.tabIndex = j === chosen ? 0 : -1;
      button.classList.toggle("changed", !sameWire(wished[j], original[j]));
    });
    cells.forEach((cell) => {
      const on = cell.wire[0] === now.lag && cell.wire[1] === now.component;
      cell.setAttribute("aria-pressed", on);
      cell.tabIndex = on ? 0 : -1;
    });
    signs.forEach((choice) => { choice.checked = Number(choice.value) === now.sign; });
    byId("source-title").textContent = `Output ${chosen + 1} copies variable ${s + 1 - now.lag}, component ${now.component + 1}, ${now.sign < 0 ? "negated" : "as it is"}. Outlined cells are what the trained network keeps.`;
    preset.value = editor.presetOf(wished) ?? "";
  };
  wires.addEventListener("keydown", (event) => {
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!move) return;
    event.preventDefault();
    editor.chosen = (editor.chosen + move + d) % d;
    show();
    buttons[editor.chosen].focus();
  });
  links.on((output) => buttons.forEach((button, j) => button.classList.toggle("lit", j === output)));
  editor.listeners.push(show);
  show();
  startComparison(explorer);
}

// Before and after, one below the other on the same time.
function startComparison(explorer) {
  const before = outputStrip(byId("before"), explorer), after = outputStrip(byId("after"), explorer);
  player.onRun(() => {
    if (!explorer.rewired) return;
    const { sources, network } = explorer.rewired, wanted = continued({ sources }, explorer.inputs, explorer.horizon), run = (which) => simulate(which, explorer.inputs, explorer.horizon).outputs;
    byId("before-score").textContent = scoreText(before(run(explorer.trained), wanted));
    byId("after-score").textContent = scoreText(after(run(network), wanted));
  });
}
