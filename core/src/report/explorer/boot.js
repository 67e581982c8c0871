// Runs before anything is drawn: the theme that was chosen last, and how scripts and data are unpacked.

const remembered = { get(name) { try { return localStorage.getItem(`ketbra-${name}`); } catch { return null; } }, set(name, value) { try { localStorage.setItem(`ketbra-${name}`, value); } catch { /* a page in a frame may have no storage */ } } };
document.documentElement.dataset.theme = remembered.get("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!?()[]{}@%$#_,;|~";

// Five digits of base 85 are four bytes, the most significant first; a last group of n + 1 digits is n bytes.
function unpacked(text) {
  const value = new Uint8Array(128), bytes = new Uint8Array(4 * Math.ceil(text.length / 5));
  for (let k = 0; k < 85; k++) value[DIGITS.charCodeAt(k)] = k;
  for (let at = 0, to = 0; at < text.length; at += 5) {
    let word = 0;
    for (let k = at; k < at + 5; k++) word = 85 * word + (k < text.length ? value[text.charCodeAt(k)] : 84);
    for (let place = 24; place >= 0; place -= 8) bytes[to++] = word >>> place;
  }
  return bytes.subarray(0, Math.floor(text.length * 4 / 5));
}

async function inflate(text) {
  const stream = new Blob([unpacked(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Matrices lie behind the JSON, whose length comes first.
let behind = null;
function parsed(bytes) {
  const length = new DataView(bytes.buffer).getUint32(0, true);
  behind = bytes.subarray(4 + length);
  return JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
}

function addStyle(text) {
  const style = document.createElement("style");
  style.textContent = text;
  document.head.append(style);
}

function failed(error) {
  const place = document.getElementById("sentence");
  if (place) place.textContent = `This page could not be shown: ${error.message}`;
  throw error;
}

document.addEventListener("DOMContentLoaded", async () => {
  try {
    const [source, data] = await Promise.all(["script", "data"].map((id) => inflate(document.getElementById(id).textContent)));
    const script = document.createElement("script");
    script.textContent = new TextDecoder().decode(source);
    document.head.append(script);
    await start(parsed(data));
  } catch (error) { failed(error); }
});
