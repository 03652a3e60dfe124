/**
 * Sends a slot's video by the resumable protocol tus 1.0, in pieces. The address of the upload is remembered in this browser, so that
 * after a reload the same file goes on where it stopped. The session's cookie and the page's form token say who sends.
 */
const box = document.getElementById("upload");

function startUploader({ slot, csrf }) {
  const element = (id) => document.getElementById(id);
  const [state, input, pause, bar, percent] = ["video-state", "video", "pause", "progress", "percent"].map(element);
  const submit = document.querySelector("#submit button");
  const memoryName = `playtest upload ${slot}`;
  const pieceBytes = 8 * 1024 * 1024;
  const triesPerRefusal = 4;
  let file;
  let active;
  let paused = false;
  let running = false;

  const remember = (upload) => localStorage.setItem(memoryName, JSON.stringify(upload));
  const forget = () => localStorage.removeItem(memoryName);
  const remembered = () => JSON.parse(localStorage.getItem(memoryName) ?? "null");
  const isSame = (upload) => upload?.name === file.name && upload.size === file.size && upload.lastModified === file.lastModified;

  const say = (text) => {
    state.textContent = text;
  };

  function show(sent, size) {
    element("upload-progress").hidden = false;
    bar.value = sent / size;
    percent.textContent = `${Math.floor((sent / size) * 100)} %`;
  }

  class Refusal extends Error {
    constructor(reply) {
      super(messageOf(reply));
      this.status = reply.status;
      this.mayPass = [409, 423, 429].includes(reply.status) || reply.status >= 500;
    }
  }

  function messageOf(reply) {
    try {
      return JSON.parse(reply.responseText).error.message;
    } catch {
      return `The server returned status ${reply.status}.`;
    }
  }

  function request(method, url, headers, body, onProgress) {
    return new Promise((resolve, reject) => {
      const call = new XMLHttpRequest();
      active = call;
      call.open(method, url);
      const all = { "Tus-Resumable": "1.0.0", "X-CSRF-Token": csrf, ...headers };
      for (const [name, value] of Object.entries(all)) call.setRequestHeader(name, value);
      if (onProgress) call.upload.onprogress = (event) => onProgress(event.loaded);
      call.onload = () => (call.status < 400 ? resolve(call) : reject(new Refusal(call)));
      call.onerror = call.onabort = () => reject(new Error("The connection was lost."));
      call.send(body);
    });
  }

  const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

  async function create() {
    const type = file.type ? `,filetype ${base64(file.type)}` : "";
    const reply = await request("POST", `/api/v1/playtester/slots/${slot}/video`, {
      "Upload-Length": file.size,
      "Upload-Metadata": `filename ${base64(file.name)}${type}`,
    });
    // The server may be reached by several names; the page's own is the one its policy allows.
    const url = new URL(reply.getResponseHeader("Location"), location.href).pathname;
    remember({ url, name: file.name, size: file.size, lastModified: file.lastModified });
    return { url, offset: 0 };
  }

  /** How far an upload is; undefined when the server does not know it any more. */
  async function offsetOf(url) {
    try {
      return Number((await request("HEAD", url)).getResponseHeader("Upload-Offset"));
    } catch (error) {
      if (error.status !== 404 && error.status !== 410) throw error;
      forget();
      return undefined;
    }
  }

  async function resume() {
    const known = remembered();
    const offset = isSame(known) ? await offsetOf(known.url) : undefined;
    return offset === undefined ? create() : { url: known.url, offset };
  }

  async function transfer(onPiece) {
    const upload = await resume();
    for (let { offset } = upload; offset < file.size; ) {
      show(offset, file.size);
      const headers = { "Upload-Offset": offset, "Content-Type": "application/offset+octet-stream" };
      const piece = file.slice(offset, offset + pieceBytes);
      const from = offset;
      const reply = await request("PATCH", upload.url, headers, piece, (sent) => show(from + sent, file.size));
      offset = Number(reply.getResponseHeader("Upload-Offset"));
      onPiece();
    }
  }

  /** Goes on through lost connections; what the server refuses again and again is final. */
  async function run() {
    running = true;
    say(`Uploading ${file.name}. Keep this page open.`);
    for (let [failures, refusals] = [0, 0]; !paused; ) {
      try {
        await transfer(() => {
          failures = refusals = 0;
        });
        return finish();
      } catch (error) {
        if (paused) break;
        const refused = error instanceof Refusal;
        if (refused && (!error.mayPass || ++refusals >= triesPerRefusal)) return stop(error.message);
        say(`${error.message} Retrying…`);
        await new Promise((resolve) => setTimeout(resolve, Math.min(30_000, 500 * 2 ** failures++)));
      }
    }
    running = false;
  }

  function end(text) {
    running = false;
    forget();
    element("upload-progress").hidden = true;
    say(text);
  }

  const stop = (reason) => end(reason);

  function finish() {
    end(`${file.name} is uploaded. Submit it below.`);
    submit.disabled = false;
  }

  function togglePause() {
    paused = !paused;
    pause.textContent = paused ? "Resume" : "Pause";
    if (!paused) return void (running || run());
    active?.abort();
    say(`Paused. Click Resume to continue uploading ${file.name}.`);
  }

  /** After a reload: how far it was. The browser does not let a page keep the file, so it has to be chosen again. */
  async function recall() {
    const known = remembered();
    const offset = known ? await offsetOf(known.url) : undefined;
    if (offset === undefined || file) return;
    if (offset === known.size) return forget();
    show(offset, known.size);
    pause.hidden = true;
    say(`The upload of ${known.name} is incomplete. Choose the same file again to resume it.`);
  }

  input.addEventListener("change", () => {
    if (!input.files[0]) return;
    active?.abort();
    file = input.files[0];
    pause.hidden = false;
    pause.textContent = "Pause";
    paused = false;
    if (!running) run();
  });
  pause.addEventListener("click", togglePause);
  window.addEventListener("beforeunload", (event) => running && event.preventDefault());
  submit.disabled = "needsVideo" in submit.form.dataset;
  element("plain-upload").remove();
  box.hidden = false;
  recall().catch((error) => say(error.message));
}

if (box) startUploader(box.dataset);
