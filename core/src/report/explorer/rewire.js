const wireText = ({ lag, component, sign }, j) => `u${j + 1} = ${sign < 0 ? "-" : " "}u${component + 1}[t-${lag}]`;
const sameWire = (a, b) => a.lag === b.lag && a.component === b.component && a.sign === b.sign;

function startRewire(explorer) {
  if (!explorer.trained) { document.getElementById("edit").remove(); return; }
  const { data, s, d } = explorer, prepared = data.edit;
  if (!prepared) return document.getElementById("edit").remove();
  for (const name of ["code", "memories", "readers"]) prepared[name] = matrixOf(prepared[name]);
  const $ = (id) => document.getElementById(id), original = data.task.sources, wires = $("wires"), grid = $("sources"), preset = $("preset");
  let wished = original.map((source) => ({ ...source })), chosen = 0;

  const buttons = wished.map((_, j) => {
    const button = element("button", { type: "button", role: "radio" });
    button.addEventListener("click", () => { chosen = j; show(); });
    return button;
  });
  wires.append(...buttons);
  grid.style.gridTemplateColumns = `repeat(${s}, auto)`;
  grid.style.setProperty("--bit", s > 12 ? "1.35rem" : "1.9rem");
  const cells = [];
  for (let c = 0; c < d; c++) {
    for (let variable = 1; variable <= s; variable++) {
      const cell = element("button", { type: "button", "aria-label": `copy variable ${variable}, component ${c + 1}`, title: `variable ${variable}, component ${c + 1}` });
      const lag = s + 1 - variable;
      if (prepared.slots.includes((variable - 1) * d + c)) cell.classList.add("kept");
      cell.addEventListener("click", () => { Object.assign(wished[chosen], { lag, component: c }); show(); });
      cell.wire = [lag, c];
      cells.push(cell);
    }
  }
  grid.append(...cells);
  gridKeys(grid, s);
  const signs = [...document.querySelectorAll("[name=sign]")];
  signs.forEach((choice) => choice.addEventListener("change", () => { wished[chosen].sign = Number(choice.value); show(); }));

  const presets = Object.entries(data.presets ?? {});
  preset.append(element("option", { value: "" }, "something of your own"), ...presets.map(([name]) => element("option", { value: name }, name)));
  if (!presets.length) $("preset-tools").remove();
  preset.addEventListener("change", () => { if (preset.value) { wished = data.presets[preset.value].map((source) => ({ ...source })); show(); } });

  const show = () => {
    buttons.forEach((button, j) => {
      button.textContent = wireText(wished[j], j);
      button.setAttribute("aria-checked", j === chosen);
      button.tabIndex = j === chosen ? 0 : -1;
      button.classList.toggle("changed", !sameWire(wished[j], original[j]));
    });
    cells.forEach((cell) => {
      const on = cell.wire[0] === wished[chosen].lag && cell.wire[1] === wished[chosen].component;
      cell.setAttribute("aria-pressed", on);
      cell.tabIndex = on ? 0 : -1;
    });
    signs.forEach((choice) => { choice.checked = Number(choice.value) === wished[chosen].sign; });
    $("source-title").textContent = `Output ${chosen + 1} copies variable ${s + 1 - wished[chosen].lag}, component ${wished[chosen].component + 1}, ${wished[chosen].sign < 0 ? "negated" : "as it is"}. Outlined cells are what the trained network keeps.`;
    const match = presets.find(([, sources]) => sources.every((source, j) => sameWire(source, wished[j])));
    preset.value = match ? match[0] : "";
  };
  wires.addEventListener("keydown", (event) => {
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!move) return;
    event.preventDefault();
    chosen = (chosen + move + d) % d;
    show();
    buttons[chosen].focus();
  });

  const before = outputStrip($("before"), explorer), after = outputStrip($("after"), explorer);
  const compare = () => {
    if (!explorer.rewired) return;
    const { sources, network } = explorer.rewired, wanted = continued({ sources }, explorer.inputs, explorer.horizon);
    $("before-score").textContent = scoreText(before(simulate(explorer.trained, explorer.inputs, explorer.horizon).outputs, wanted));
    $("after-score").textContent = scoreText(after(simulate(network, explorer.inputs, explorer.horizon).outputs, wanted));
  };
  player.onRun(compare);

  $("apply").addEventListener("click", () => {
    $("apply").disabled = true;
    $("edit-status").textContent = "Rewriting the weights …";
    // Two frames, so that the message is on the screen before the work starts.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const started = performance.now(), sources = wished.map((source) => ({ ...source }));
      const edited = edit(explorer.trained, prepared, original, sources, s, d);
      $("apply").disabled = false;
      if (!edited) { $("edit-status").textContent = `This f needs more contents than the network has units (${prepared.code.rows}).`; return; }
      explorer.rewired = { ...edited, sources };
      const { accuracy, mode, fresh, members, share } = explorer.rewired;
      const how = mode === "least" ? "only what the new f does otherwise is added, and the rest stays" : mode === "transplant" || fresh >= members.length ? "nothing of the network's own code could be kept" : fresh ? `${fresh} of ${members.length} contents moved to fresh units` : "every content stays where the network kept it";
      $("edit-status").textContent = `Done: ${mode === "transplant" ? "replaces" : "changes"} ${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} % of the weights (size of the difference over that of the old weights), in ${((performance.now() - started) / 1000).toFixed(2)} s without training: ${how}. On random inputs the edited network gets ${(100 * accuracy).toFixed(2)} % of the signs of the new task right.`;
      $("before-after").hidden = false;
      explorer.use("edited");
    }));
  });
  $("restore").addEventListener("click", () => {
    wished = original.map((source) => ({ ...source }));
    explorer.rewired = null;
    $("edit-status").textContent = "";
    $("before-after").hidden = true;
    show();
    explorer.use("trained");
  });
  document.querySelectorAll("[name=network]").forEach((choice) => choice.addEventListener("change", () => explorer.use(choice.value)));
  show();
}
