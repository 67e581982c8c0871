// Runs before anything is drawn: the theme that was chosen last, and how scripts and data are unpacked.

const remembered = { get(name) { try { return localStorage.getItem(`ketbra-${name}`); } catch { return null; } }, set(name, value) { try { localStorage.setItem(`ketbra-${name}`, value); } catch { /* a page in a frame may have no storage */ } } };
document.documentElement.dataset.theme = remembered.get("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

// Two digits are thirteen bits, the lowest first; the first character says how many bytes there are too many. Digits are all characters
// that can be seen but `<`, `&` and `*`.
function unpacked(text) {
  const value = new Uint8Array(128), bytes = new Uint8Array(Math.floor((text.length - 1) / 2 * 13 / 8));
  let digit = 0, bits = 0, held = 0, to = 0;
  for (let code = 33; code < 127; code++) if (!"<&*".includes(String.fromCharCode(code))) value[code] = digit++;
  for (let at = 1; at < text.length; at += 2) {
    bits |= (value[text.charCodeAt(at)] + 91 * value[text.charCodeAt(at + 1)]) << held;
    held += 13;
    for (; held >= 8; held -= 8, bits >>>= 8) bytes[to++] = bits;
  }
  return bytes.subarray(0, bytes.length - Number(text[0]));
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

const addBelow = (html) => document.querySelector("main").insertAdjacentHTML("beforeend", html);

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
