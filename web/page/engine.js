// The engine in its worker: requests go in, answers come out, one at a time.

const inside = (id) => document.getElementById(id).textContent.trim();

async function unzipped(base64) {
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// The same frame in both directions: the length of the JSON, the JSON, the files that it lists.
function framed(json, files) {
  const listed = files.map(({ name, bytes }) => ({ name, length: bytes.byteLength }));
  const head = new TextEncoder().encode(JSON.stringify({ ...json, files: listed }));
  const size = new DataView(new ArrayBuffer(4));
  size.setUint32(0, head.length, true);
  return new Blob([size.buffer, head, ...files.map((file) => file.bytes)]).arrayBuffer();
}

function unframed(frame) {
  const length = new DataView(frame).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 4, length)));
  let at = 4 + length;
  const files = head.files.map(({ name, length }) => {
    at += length;
    return { name, bytes: new Uint8Array(frame, at - length, length) };
  });
  return { json: head.answer, files };
}

class Engine {
  constructor() {
    this.module = unzipped(inside("engine")).then((bytes) => WebAssembly.compile(bytes));
    this.source = URL.createObjectURL(new Blob([inside("worker")], { type: "text/javascript" }));
    this.ready = this.start();
  }

  async start() {
    const worker = new Worker(this.source);
    this.worker = worker;
    const module = await this.module;
    await this.hear(worker, { module }, () => {});
  }

  // Sends a message and waits for what it comes to; words of progress go to `look`.
  hear(worker, message, look) {
    return new Promise((done, failed) => {
      this.fail = failed;
      worker.onerror = (event) => failed(new Error(event.message));
      worker.onmessage = ({ data }) => {
        if (data.share !== undefined) return look(data);
        data.failed ? failed(new Error(data.failed)) : done(data.answer);
      };
      worker.postMessage(message);
    });
  }

  async ask(json, files, look = () => {}) {
    const request = await framed(json, files);
    await this.ready;
    try {
      const answer = unframed(await this.hear(this.worker, { request }, look));
      if (answer.json.error !== undefined) throw Object.assign(new Error(answer.json.error), { refused: true });
      return answer;
    } catch (error) {
      if (!error.refused) this.restart();
      throw error;
    }
  }

  restart() {
    this.worker.terminate();
    this.ready = this.start();
  }

  // Ends what is being done, for good.
  stop() { this.fail?.(new Error("stopped")); }
}
