/**
 * Sends a slot's video by the resumable protocol tus 1.0, in pieces. The address of the upload is remembered in this browser, so that
 * after a reload the upload of the same file resumes. The session's cookie and the page's form token say who sends.
 */
import {
  containerText,
  inspectVideo,
  playsEverywhere,
  problemOf,
  signatureBytes,
  tracksText,
  videoType,
} from "./inspect-video.js";

const box = document.getElementById("upload");
const pieceBytes = 8 * 1024 * 1024;
const triesPerRefusal = 4;

class Refusal extends Error {
  constructor(reply, method) {
    super(messageOf(reply));
    this.status = reply.status;
    // A piece that does not fit is sent again from where the server is; a slot that takes no video will not take it later.
    this.mayPass = [423, 429].includes(reply.status) || reply.status >= 500 || (reply.status === 409 && method === "PATCH");
  }
}

/** The chosen file cannot be sent, and trying again would not help. */
class Unusable extends Error {}

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

/** The first bytes of a file. Fails for one that was moved, changed or removed since it was chosen. */
async function readStart(file) {
  try {
    return new Uint8Array(await file.slice(0, signatureBytes).arrayBuffer());
  } catch {
    throw new Unusable(`${file.name} cannot be read. It was moved or changed since you chose it. Choose it again.`);
  }
}

/** What a video is made of; undefined when it cannot be read here: the server looks closer. */
async function inspect(file) {
  const read = async (start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer());
  try {
    return await inspectVideo(await import("./mediabunny.js"), { size: file.size, read });
  } catch {
    return undefined;
  }
}

/** Fails for a file that the server would refuse, before any of it is sent. Returns what the playtester should know of it. */
async function check(file, maxBytes) {
  if (file.size === 0) throw new Unusable(`${file.name} is empty. Nothing was sent. Choose a video file.`);
  if (file.size > maxBytes)
    throw new Unusable(
      `${file.name} has ${sizeText(file.size)}, and a video can have at most ${sizeText(maxBytes)}. Nothing was sent. Record with a lower resolution, or make the file smaller.`,
    );
  if (videoType(await readStart(file)) === undefined)
    throw new Unusable(`${file.name} is not an MP4, WebM, MOV or MKV video. Nothing was sent. Choose a video file.`);
  const facts = await inspect(file);
  if (facts?.fault) {
    const { what, remedy } = problemOf(facts.fault);
    throw new Unusable(`${file.name} ${what}. Nothing was sent. ${remedy}`);
  }
  if (!facts || playsEverywhere(facts)) return undefined;
  return `${file.name} is ${tracksText(facts.tracks)} in ${containerText(facts.type)}, which some browsers cannot show. It is uploaded all the same. If you can, record in one of the formats above.`;
}

const MiB = 1024 * 1024;
const sizeText = (bytes) => (bytes < 1024 * MiB ? `${(bytes / MiB).toFixed(1)} MiB` : `${(bytes / 1024 / MiB).toFixed(2)} GiB`);

function durationText(seconds) {
  if (seconds < 60) return "less than a minute";
  const [number, unit] = seconds < 5400 ? [Math.round(seconds / 60), "minute"] : [Math.round(seconds / 3600), "hour"];
  return `about ${number} ${unit}${number === 1 ? "" : "s"}`;
}

/** How fast an upload is, measured over the last seconds. */
class Speed {
  #samples = [];

  /** Bytes per second; undefined while there is too little to tell. */
  measure(sent) {
    const now = performance.now();
    this.#samples = [...this.#samples.filter(({ at }) => now - at < 10_000), { at: now, sent }];
    const [first] = this.#samples;
    const seconds = (now - first.at) / 1000;
    return seconds >= 1 && sent > first.sent ? (sent - first.sent) / seconds : undefined;
  }
}

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

  /** Whether the server has an upload of this file, with what was sent of it. */
  keeps(file) {
    return isSame(this.remembered(), file);
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
      call.onload = () => (call.status < 400 ? resolve(call) : reject(new Refusal(call, method)));
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
    const offset = this.keeps(file) ? await this.offsetOf(known.url) : undefined;
    return offset === undefined ? this.#create(file) : { url: known.url, offset };
  }

  /** Sends what is missing of the file. `show` is told the bytes that were sent so far. */
  async send(file, show, onPiece) {
    const upload = await this.#resume(file);
    for (let { offset } = upload; offset < file.size; ) {
      show(offset, file.size);
      await readStart(file);
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
const [state, error, input, pause, bar, percent, transfer] = [
  "video-state",
  "video-error",
  "video",
  "pause",
  "progress",
  "percent",
  "transfer",
].map(element);

function say(text) {
  if (state.textContent !== text) state.textContent = text;
}

/** What to know about a file that is taken; nothing for no text. */
function warn(text) {
  const warning = element("video-warning");
  warning.textContent = text ?? "";
  warning.hidden = text === undefined;
}

/** What is wrong and what to do; nothing for no text. */
function complain(text) {
  error.textContent = text ?? "";
  error.hidden = text === undefined;
  if (text === undefined) {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  } else {
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", "video-error");
  }
}

function show(sent, size, speed) {
  element("upload-progress").hidden = false;
  bar.value = sent / size;
  percent.textContent = `${Math.floor((sent / size) * 100)} %`;
  const rate = speed?.measure(sent);
  const left = rate === undefined ? "" : ` · ${sizeText(rate)}/s · ${durationText((size - sent) / rate)} left`;
  transfer.textContent = `${(sent / MiB).toFixed(1)} of ${(size / MiB).toFixed(1)} MiB${left}`;
}

/** While nothing is sent there is no rate, and nobody knows how long it takes. */
function showStanding() {
  [transfer.textContent] = transfer.textContent.split(" · ");
}

/** Shows the video and the button as the server has them now. What was typed stays. Fails if the server replies with another page. */
async function refresh() {
  const reply = await fetch(location.pathname);
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  for (const id of ["video-state", "video-label", "submit"]) element(id).replaceChildren(...page.getElementById(id).childNodes);
}

/** What the page shows of the upload. */
class Uploader {
  #upload;
  #maxBytes;
  #file;
  /** The file that was chosen last: while it is read, another can be chosen. */
  #chosen;
  /** What was said before a chosen file was read, for when it cannot be used. */
  #saidBefore;
  /** The run in progress. Another run, or a pause, ends it. */
  #run;
  #wake = () => {};

  constructor(upload, maxBytes) {
    this.#upload = upload;
    this.#maxBytes = maxBytes;
    input.addEventListener("change", () => this.#choose());
    pause.addEventListener("click", () => (this.#run ? this.#pause() : this.#start()));
    window.addEventListener("beforeunload", (event) => this.#run && event.preventDefault());
    window.addEventListener("online", () => this.#wake());
    element("plain-upload").remove();
    box.hidden = false;
    this.#recall().catch((reason) => complain(reason.message));
  }

  async #choose() {
    const [file] = input.files;
    if (!file) return;
    this.#chosen = file;
    this.#saidBefore ??= [...state.childNodes];
    complain();
    this.#stop();
    warn();
    say(`Reading ${file.name}.`);
    const { warning, reason } = await check(file, this.#maxBytes).then(
      (warning) => ({ warning }),
      (reason) => ({ reason }),
    );
    if (file !== this.#chosen) return;
    const said = this.#saidBefore;
    this.#saidBefore = undefined;
    if (reason) {
      input.value = "";
      input.focus();
      state.replaceChildren(...said);
      if (this.#file) this.#sayPaused();
      return complain(reason.message);
    }
    warn(warning);
    // The visitor may have resumed the one before meanwhile.
    this.#stop();
    this.#file = file;
    this.#start();
  }

  #start() {
    const run = {};
    this.#run = run;
    complain();
    if (element("upload-progress").hidden) show(0, this.#file.size);
    pause.hidden = false;
    pause.textContent = "Pause";
    this.#send(run);
  }

  /** Ends the run in progress. What was sent is kept. */
  #stop() {
    this.#run = undefined;
    this.#upload.abort();
    this.#wake();
    showStanding();
    pause.textContent = "Resume";
  }

  #pause() {
    this.#stop();
    this.#sayPaused();
  }

  #sayPaused() {
    say(`Paused. Click Resume to continue uploading ${this.#file.name}.`);
  }

  /** Goes on through lost connections; what the server refuses again and again waits for the visitor. */
  async #send(run) {
    const [file, speed] = [this.#file, new Speed()];
    const sayUploading = () => say(`Uploading ${file.name}. Keep this page open.`);
    sayUploading();
    for (let [failures, refusals] = [0, 0]; run === this.#run; ) {
      try {
        const shown = (sent, size) => {
          if (run !== this.#run) return;
          sayUploading();
          show(sent, size, speed);
        };
        await this.#upload.send(file, shown, () => {
          failures = refusals = 0;
        });
        return await this.#finish();
      } catch (reason) {
        if (run !== this.#run) return;
        if (reason instanceof Unusable) return this.#unusable(reason.message);
        if (reason instanceof Refusal && !reason.mayPass) return this.#refused(reason);
        if (reason instanceof Refusal && ++refusals >= triesPerRefusal)
          return this.#fail(`${reason.message}${this.#keptText()} Click Resume to try again.`);
        say(navigator.onLine ? `${reason.message} Retrying…` : "You are offline. The upload resumes when you are online again.");
        showStanding();
        await this.#wait(Math.min(30_000, 500 * 2 ** failures++));
      }
    }
  }

  /** Waits for so many milliseconds, or until the connection is back or the visitor does something. */
  #wait(ms) {
    return new Promise((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, ms);
    });
  }

  /** Browsers tell of a file that is chosen again only if the field was empty. */
  #unusable(text) {
    input.value = "";
    this.#fail(text);
  }

  #fail(text) {
    this.#stop();
    say("");
    complain(text);
  }

  /** Nothing is kept if the server refused the file before any of it was sent. */
  #keptText() {
    return this.#upload.keeps(this.#file) ? " What was sent is kept." : "";
  }

  #refused(reason) {
    if (reason.status === 401 || reason.status === 403) {
      const [why, how] = reason.status === 401 ? ["You are signed out.", ", sign in and"] : [reason.message, " and"];
      this.#fail(`${why}${this.#keptText()} Reload this page${how} choose the same file again.`);
      pause.hidden = true;
      return;
    }
    this.#upload.forget();
    element("upload-progress").hidden = true;
    this.#file = undefined;
    input.value = "";
    this.#fail(`${reason.message} Choose a video again, or reload this page.`);
  }

  async #finish() {
    this.#run = undefined;
    this.#upload.forget();
    element("upload-progress").hidden = true;
    const { name } = this.#file;
    this.#file = undefined;
    try {
      await refresh();
    } catch {
      say(`${name} is uploaded. Reload this page, then submit it.`);
    }
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

if (box) new Uploader(new Upload(box.dataset), Number(box.dataset.maxBytes));
