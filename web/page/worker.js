// Runs the engine away from the page, which therefore never waits for it. Gets the compiled engine once, then requests.
const EVERY = 40; // milliseconds between two words of progress
const words = new TextDecoder();
let engine, said = "", told = 0;

const text = (at, length) => words.decode(new Uint8Array(engine.memory.buffer, at, length));

const page = {
  progress(share, at, length) {
    if (performance.now() - told < EVERY) return;
    told = performance.now();
    postMessage({ share, stage: text(at, length) });
  },
  panicked(at, length) { said = text(at, length); },
};

function answered(request) {
  // Memory that grows is another buffer: it is asked for only after the call that may have made it grow.
  const at = engine.room(request.byteLength);
  new Uint8Array(engine.memory.buffer, at, request.byteLength).set(new Uint8Array(request));
  const length = engine.answer(), from = engine.answer_at();
  return engine.memory.buffer.slice(from, from + length);
}

onmessage = async ({ data }) => {
  try {
    if (data.module) {
      engine = (await WebAssembly.instantiate(data.module, { page })).exports;
      return postMessage({ ready: true });
    }
    const answer = answered(data.request);
    postMessage({ answer }, [answer]);
  } catch (error) {
    // An engine that has panicked or has no memory left is of no further use.
    postMessage({ failed: said ? `it panicked, which is a mistake in ketbra: ${said}; please report it` : `the engine stopped: ${error.message}` });
  }
};
