// Every chart can be taken along: as a picture that scales (SVG), as pixels (PNG), as numbers (CSV).

function save(name, content, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Text that begins like a formula gets an apostrophe: a spreadsheet would run it.
const tameCell = (x) => (typeof x === "string" && /^[=+\-@\t\r]/.test(x) && Number.isNaN(Number(x)) ? `'${x}` : String(x));
const csvOf = (rows) => `${rows.map((row) => row.map(tameCell).map((x) => (/[",;\r\n]/.test(x) ? `"${x.replaceAll('"', '""')}"` : x)).join(",")).join("\n")}\n`;

// A drawing on the page as a file of its own: styles are written into it, the background is the page's.
function standalone(drawing, extra = "") {
  const copy = drawing.cloneNode(true), { width, height } = drawing.viewBox.baseVal;
  const live = [drawing, ...drawing.querySelectorAll("*")], still = [copy, ...copy.querySelectorAll("*")];
  const kept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline", "paint-order"];
  live.forEach((node, k) => {
    const computed = getComputedStyle(node);
    still[k].setAttribute("style", kept.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";"));
    for (const name of ["tabindex", "role", "aria-label", "class"]) still[k].removeAttribute(name);
    // Colours of the theme have a name on the page only.
    for (const name of ["fill", "stroke"]) if (still[k].getAttribute(name)?.startsWith("var(")) still[k].removeAttribute(name);
  });
  copy.querySelectorAll("[data-screen-only]").forEach((node) => node.remove());
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  copy.removeAttribute("id");
  copy.prepend(svg("rect", { width, height, fill: palette.card }));
  return new XMLSerializer().serializeToString(copy) + extra;
}

async function pngOf(text, scale = 2) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const canvas = new OffscreenCanvas(Math.ceil(picture.width * scale), Math.ceil(picture.height * scale)), context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: "image/png" });
}

const exported = [];

// Adds the menu to a figure's caption. `chart` gives `svg()` (text) and `rows()` (for CSV) when asked.
function offerExport(caption, name, chart) {
  const make = { SVG: async () => [chart.svg(), "image/svg+xml"], PNG: async () => [await pngOf(chart.svg()), "image/png"], CSV: async () => [csvOf(chart.rows()), "text/csv"] };
  const menu = element("span", { class: "export", role: "group", "aria-label": `Save ${name.replaceAll("-", " ")}` });
  for (const [kind, content] of Object.entries(make)) {
    const button = element("button", { type: "button", title: `Save as ${kind}` }, kind);
    button.addEventListener("click", async () => { const [bytes, type] = await content(); save(`${name}.${kind.toLowerCase()}`, bytes, type); });
    menu.append(button);
  }
  exported.push({ name, make });
  caption.append(menu);
}
