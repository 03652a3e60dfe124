/**
 * Sends a slot's video by the resumable protocol tus 1.0, in pieces. The address of the upload is remembered in this browser, so that
 * after a reload the upload of the same file resumes. The session's cookie and the page's form token say who sends.
 */
const box = document.getElementById("upload");
const pieceBytes = 8 * 1024 * 1024;
const triesPerRefusal = 4;

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

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
const isSame = (upload, file) =>
  upload?.name === file.name && upload.size === file.size && upload.lastModified === file.lastModified;

/** The protocol, and what this browser remembers of an upload. */
class Upload {
  #slot;
  #csrf;
  #memoryName;
  #active;

  constructor({ slot, csrf }) {
    this.#slot = slot;
    this.#csrf = csrf;
    this.#memoryName = `playtest upload ${slot}`;
  }

  remembered() {
    return JSON.parse(localStorage.getItem(this.#memoryName) ?? "null");
  }

  forget() {
    localStorage.removeItem(this.#memoryName);
  }

  abort() {
    this.#active?.abort();
  }

  #request({ method, url, headers, body, onProgress }) {
    return new Promise((resolve, reject) => {
      const call = new XMLHttpRequest();
      this.#active = call;
      call.open(method, url);
      const all = { "Tus-Resumable": "1.0.0", "X-CSRF-Token": this.#csrf, ...headers };
      for (const [name, value] of Object.entries(all)) call.setRequestHeader(name, value);
      if (onProgress) call.upload.onprogress = (event) => onProgress(event.loaded);
      call.onload = () => (call.status < 400 ? resolve(call) : reject(new Refusal(call)));
      call.onerror = call.onabort = () => reject(new Error("The connection was lost."));
      call.send(body);
    });
  }

  async #create(file) {
    const type = file.type ? `,filetype ${base64(file.type)}` : "";
    const headers = { "Upload-Length": file.size, "Upload-Metadata": `filename ${base64(file.name)}${type}` };
    const reply = await this.#request({ method: "POST", url: `/api/v1/playtester/slots/${this.#slot}/video`, headers });
    // The server may be reached by several names; the page's own is the one its policy allows.
    const url = new URL(reply.getResponseHeader("Location"), location.href).pathname;
    const { name, size, lastModified } = file;
    localStorage.setItem(this.#memoryName, JSON.stringify({ url, name, size, lastModified }));
    return { url, offset: 0 };
  }

  /** How far an upload is; undefined when the server does not know it any more. */
  async offsetOf(url) {
    try {
      return Number((await this.#request({ method: "HEAD", url })).getResponseHeader("Upload-Offset"));
    } catch (error) {
      if (error.status !== 404 && error.status !== 410) throw error;
      this.forget();
      return undefined;
    }
  }

  async #resume(file) {
    const known = this.remembered();
    const offset = isSame(known, file) ? await this.offsetOf(known.url) : undefined;
    return offset === undefined ? this.#create(file) : { url: known.url, offset };
  }

  /** Sends what is missing of the file. `show` is told the bytes that were sent so far. */
  async send(file, show, onPiece) {
    const upload = await this.#resume(file);
    for (let { offset } = upload; offset < file.size; ) {
      show(offset, file.size);
      const headers = { "Upload-Offset": offset, "Content-Type": "application/offset+octet-stream" };
      const body = file.slice(offset, offset + pieceBytes);
      const from = offset;
      const onProgress = (sent) => show(from + sent, file.size);
      const reply = await this.#request({ method: "PATCH", url: upload.url, headers, body, onProgress });
      offset = Number(reply.getResponseHeader("Upload-Offset"));
      onPiece();
    }
  }
}

const element = (id) => document.getElementById(id);
const [state, input, pause, bar, percent] = ["video-state", "video", "pause", "progress", "percent"].map(element);
const submit = document.querySelector("#submit button");

function say(text) {
  state.textContent = text;
}

function show(sent, size) {
  element("upload-progress").hidden = false;
  bar.value = sent / size;
  percent.textContent = `${Math.floor((sent / size) * 100)} %`;
}

/** What the page shows of the upload, and its button. */
class Uploader {
  #upload;
  #file;
  #paused = false;
  #running = false;

  constructor(upload) {
    this.#upload = upload;
    input.addEventListener("change", () => this.#choose());
    pause.addEventListener("click", () => this.#togglePause());
    window.addEventListener("beforeunload", (event) => this.#running && event.preventDefault());
    submit.disabled = "needsVideo" in submit.form.dataset;
    element("plain-upload").remove();
    box.hidden = false;
    this.#recall().catch((error) => say(error.message));
  }

  #choose() {
    if (!input.files[0]) return;
    this.#upload.abort();
    this.#file = input.files[0];
    pause.hidden = false;
    pause.textContent = "Pause";
    this.#paused = false;
    if (!this.#running) this.#run();
  }

  /** Goes on through lost connections; what the server refuses again and again is final. */
  async #run() {
    this.#running = true;
    say(`Uploading ${this.#file.name}. Keep this page open.`);
    for (let [failures, refusals] = [0, 0]; !this.#paused; ) {
      try {
        await this.#upload.send(this.#file, show, () => {
          failures = refusals = 0;
        });
        return this.#finish();
      } catch (error) {
        if (this.#paused) break;
        const refused = error instanceof Refusal;
        if (refused && (!error.mayPass || ++refusals >= triesPerRefusal)) return this.#end(error.message);
        say(`${error.message} Retrying…`);
        await new Promise((resolve) => setTimeout(resolve, Math.min(30_000, 500 * 2 ** failures++)));
      }
    }
    this.#running = false;
  }

  #end(text) {
    this.#running = false;
    this.#upload.forget();
    element("upload-progress").hidden = true;
    say(text);
  }

  #finish() {
    this.#end(`${this.#file.name} is uploaded. Submit it below.`);
    submit.disabled = false;
  }

  #togglePause() {
    this.#paused = !this.#paused;
    pause.textContent = this.#paused ? "Resume" : "Pause";
    if (!this.#paused) return void (this.#running || this.#run());
    this.#upload.abort();
    say(`Paused. Click Resume to continue uploading ${this.#file.name}.`);
  }

  /** After a reload: how far it was. The browser does not let a page keep the file, so it has to be chosen again. */
  async #recall() {
    const known = this.#upload.remembered();
    const offset = known ? await this.#upload.offsetOf(known.url) : undefined;
    if (offset === undefined || this.#file) return;
    if (offset === known.size) return this.#upload.forget();
    show(offset, known.size);
    pause.hidden = true;
    say(`The upload of ${known.name} is incomplete. Choose the same file again to resume it.`);
  }
}

if (box) new Uploader(new Upload(box.dataset));
