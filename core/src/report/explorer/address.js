// What I see is in the address, so that a link shows the same to somebody else. Each kind of page says what that is.

const bitsOf = (inputs) => { const bits = inputs.flatMap((u) => [...u].map((x) => (x > 0 ? 1 : 0))), digits = []; for (let k = 0; k < bits.length; k += 4) digits.push(parseInt(bits.slice(k, k + 4).join("").padEnd(4, "0"), 2).toString(16)); return digits.join(""); };
const inputsOf = (text, s, d) => { const bits = [...text].flatMap((digit) => [...parseInt(digit, 16).toString(2).padStart(4, "0")]); return Array.from({ length: s }, (_, t) => Float64Array.from({ length: d }, (_, j) => (bits[t * d + j] === "1" ? 1 : -1))); };

// said() gives names and values, restore(wanted) follows them, still() says that now is no time to write.
async function keepAddress({ said, restore, still = () => false }) {
  let section = null, touched = false, waiting = null;
  const write = () => {
    const parts = { ...said(), ...(section ? { at: section } : {}) };
    try { history.replaceState(null, "", `#${new URLSearchParams(parts)}`); } catch { /* a page in a frame has no address of its own */ }
  };
  // Not before a person does something, and not at every frame.
  const later = () => { if (touched && !still()) { clearTimeout(waiting); waiting = setTimeout(write, 150); } };
  const follow = async () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (![...wanted.keys()].length) return false;
    touched = true;
    await restore(wanted);
    if (wanted.has("at")) { section = wanted.get("at"); byId(section)?.scrollIntoView(); }
    return true;
  };
  for (const kind of ["pointerup", "keyup", "change", "input", "click"]) document.addEventListener(kind, () => { touched = true; later(); });
  window.addEventListener("hashchange", follow);
  window.ketbra.address = { at: (id) => { section = id; touched = true; later(); }, write, later };
  return follow();
}

// Input and step of pages on which time runs.
const seenNow = ({ inputs }) => ({ t: player.step, u: bitsOf(inputs) });
const wantedInputs = (wanted, { s, d }) => { const text = wanted.get("u"); return text && /^[0-9a-f]+$/.test(text) ? inputsOf(text, s, d) : null; };

function keepTime({ later }) {
  player.onTime(later);
  player.onRun(later);
}
