// Rewiring on the wheel: drag a wire to another source, click it to flip its sign. It applies at once.

// The slot under a point of the drawing; nothing outside the rings.
function slotAt(wheel, x, y) {
  const { s, d } = wheel.explorer, { cx, cy, radius, hub, ring, sector } = wheel.place, r = Math.hypot(x - cx, y - cy);
  if (r > radius + 12 || r < hub) return null;
  const turned = ((Math.atan2(y - cy, x - cx) + TURN / 4) % TURN + TURN) % TURN, variable = s - Math.round(turned / sector) % s, component = Math.max(0, Math.min(d - 1, Math.floor((radius - r) / ring)));
  return (variable - 1) * d + component;
}

// Makes the wires of a wheel editable; `change(output, source)` gets the new source of an output.
function editableWires(change) {
  return (wheel, group, wire) => {
    const { s, d } = wheel.explorer, hint = `u${wire.to + 1} copies ${wire.sign < 0 ? "minus " : ""}u${wire.component + 1} of ${wire.lag} ${wire.lag === 1 ? "step" : "steps"} before. Click flips its sign, dragging moves it to another source`;
    group.classList.add("editable");
    filled(group, { tabindex: 0, role: "button", "aria-label": `${hint}; the list below does the same by keyboard` }, []);
    const flip = () => change(wire.to, { lag: wire.lag, component: wire.component, sign: -wire.sign });
    const inside = (event) => { const frame = wheel.svgNode.getBoundingClientRect(); return [event.clientX - frame.left, event.clientY - frame.top]; };
    let start = null, ghost = null, over = null;
    group.addEventListener("pointerenter", (event) => { if (!start) showTip(event, hint); });
    group.addEventListener("pointerleave", () => { if (!start) hideTip(); });
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      flip();
    });
    group.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      start = inside(event);
      group.setPointerCapture(event.pointerId);
      hideTip();
    });
    group.addEventListener("pointermove", (event) => {
      if (!start) return;
      const at = inside(event);
      if (!ghost && Math.hypot(at[0] - start[0], at[1] - start[1]) < 7) return;
      if (!ghost) {
        ghost = svg("path", { class: "ghost" });
        over = svg("path", { class: "target" });
        wheel.svgNode.append(over, ghost);
        group.classList.add("dragged");
      }
      const slot = slotAt(wheel, ...at), [a, b, c, e] = wheel.curve(slot === null ? at : wheel.middle(slot), wheel.middle((s - 1) * d + wire.to));
      ghost.setAttribute("d", `M${a}C${b} ${c} ${e}`);
      over.setAttribute("d", slot === null ? "" : wheel.sectorPath(slot));
      if (slot !== null) showTip(event, `u${wire.to + 1} = ${wire.sign < 0 ? "−" : ""}u${slot % d + 1}[t−${s - Math.floor(slot / d)}]`);
    });
    const end = (event) => {
      if (!start) return;
      const slot = ghost && slotAt(wheel, ...inside(event)), dragged = Boolean(ghost);
      ghost?.remove();
      over?.remove();
      group.classList.remove("dragged");
      [start, ghost, over] = [null, null, null];
      hideTip();
      if (event.type === "pointercancel") return;
      if (!dragged) return flip();
      if (slot !== null) change(wire.to, { lag: s - Math.floor(slot / d), component: slot % d, sign: wire.sign });
    };
    group.addEventListener("pointerup", end);
    group.addEventListener("pointercancel", end);
  };
}
