// Elements, the tip that follows the pointer, and what several sections share.

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const element = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const byId = (id) => document.getElementById(id);
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));

function showTip(event, text) {
  const tip = byId("tip"), place = event.clientX ? event : event.target.getBoundingClientRect(), x = event.clientX || place.left, y = event.clientY || place.top;
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${y - tip.offsetHeight - 12 < 8 ? y + 22 : y - tip.offsetHeight - 12}px`;
}

function hideTip() { byId("tip").hidden = true; }

// Arrow keys move within a grid of buttons.
function gridKeys(holder, cols) {
  holder.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -cols, ArrowDown: cols }[event.key];
    const cells = [...holder.children], at = cells.indexOf(event.target), next = cells[at + move];
    if (!move || !next) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  });
}

// A small button that copies a text and says so.
function copyButton(label, text) {
  const button = element("button", { type: "button", class: "quiet" }, label);
  button.addEventListener("click", async () => {
    const said = typeof text === "function" ? text() : text;
    try { await navigator.clipboard.writeText(said); } catch {
      // Without the clipboard's permission, as in a page from disk.
      const field = element("textarea", {});
      field.value = said;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}

const number = (x) => (x === 0 ? "0" : Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5 ? x.toExponential(1) : Number(x.toPrecision(4)).toString());
const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
const nameOf = (slot, d) => `u${slot % d + 1} in variable ${Math.floor(slot / d) + 1}`;
