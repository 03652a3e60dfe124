import { the } from "./shared/dom.ts";
import { Speed, sizeText } from "./upload/amounts.ts";
import { check } from "./upload/check.ts";
import { UploadPage } from "./upload/page.ts";
import { Refusal, ResumableUpload } from "./upload/resumable.ts";
import { readPart, Unusable } from "./upload/start.ts";

/**
 * Uploads a slot's video or a game's build, which can be paused and survives lost connections. Without this script the page's plain form
 * does it.
 */
const box = document.querySelector<HTMLElement>("#upload");
const triesPerRefusal = 4;

/** What is uploaded. */
interface Subject {
  /** Fails for a file that cannot be used. Returns what to know of one that can. */
  check(file: File, maxBytes: number): Promise<string | undefined>;
  /** Whether sending waits for a button, because there is more to fill in. */
  waits: boolean;
  /** What to say of an upload that is complete, where the page cannot show it. */
  complete: string;
  /** What to choose when there is nothing to resume. */
  again: string;
}

/** One time that a file is sent, until it is paused, ends or fails. */
interface Run {
  file: File;
}

class Uploader {
  #page: UploadPage;
  #upload: ResumableUpload;
  #subject: Subject;
  #maxBytes: number;
  /** The file that is uploaded, or paused. */
  #file: File | undefined;
  /** The file that was chosen last: while it is read, another can be chosen. */
  #chosen: File | undefined;
  /** What was said before a chosen file was read, for when it cannot be used. */
  #saidBefore: ChildNode[] | undefined;
  /** The run in progress. Another run, or a pause, ends it. */
  #run: Run | undefined;
  #wake: () => void = () => {};

  constructor(page: UploadPage, upload: ResumableUpload, subject: Subject, maxBytes: number) {
    this.#page = page;
    this.#upload = upload;
    this.#subject = subject;
    this.#maxBytes = maxBytes;
    const { input, pause } = this.#page;
    input.addEventListener("change", () => void this.#choose());
    pause.addEventListener("click", () => {
      if (this.#run) this.#pause(this.#run);
      else if (this.#file) this.#start(this.#file);
    });
    this.#page.discard?.addEventListener("click", () => this.#discard());
    window.addEventListener("beforeunload", (event) => this.#run && event.preventDefault());
    window.addEventListener("online", () => this.#wake());
    the("#plain-upload").remove();
    this.#recall().catch((reason: Error) => this.#page.complain(reason.message));
  }

  async #choose(): Promise<void> {
    const { input, state } = this.#page;
    const file = input.files?.[0];
    if (!file) return;
    this.#chosen = file;
    this.#saidBefore ??= [...state.childNodes];
    this.#page.complain();
    this.#stop();
    this.#page.warn();
    this.#page.say(`Reading ${file.name}.`);
    this.#page.holdSubmit(`You can submit when ${file.name} is uploaded.`);
    const { warning, reason } = await this.#subject.check(file, this.#maxBytes).then(
      (warning) => ({ warning, reason: undefined }),
      (reason: Error) => ({ warning: undefined, reason }),
    );
    if (file !== this.#chosen) return;
    const said = this.#saidBefore;
    this.#saidBefore = undefined;
    if (reason) {
      input.value = "";
      input.focus();
      state.replaceChildren(...said);
      if (this.#file) this.#sayPaused(this.#file);
      else this.#page.holdSubmit();
      return this.#page.complain(reason.message);
    }
    this.#page.warn(warning);
    // The visitor may have resumed the one before meanwhile.
    this.#stop();
    if (this.#subject.waits && !this.#upload.keeps(file)) this.#offer(file);
    else this.#start(file);
  }

  /** Waits for the button. */
  #offer(file: File): void {
    this.#file = file;
    const { pause } = this.#page;
    this.#page.say(`${file.name} (${sizeText(file.size)}) is ready to be sent.`);
    pause.hidden = false;
    pause.textContent = "Upload";
  }

  #start(file: File): void {
    const run = { file };
    this.#file = file;
    this.#run = run;
    const { pause, progress, discard } = this.#page;
    this.#page.complain();
    this.#page.holdSubmit(`You can submit when ${file.name} is uploaded.`);
    if (discard) discard.hidden = false;
    if (progress.hidden) this.#page.show(0, file.size);
    pause.hidden = false;
    pause.textContent = "Pause";
    void this.#send(run);
  }

  /** Ends the run in progress. What was sent is kept. */
  #stop(): void {
    this.#run = undefined;
    this.#upload.abort();
    this.#wake();
    this.#page.showStanding();
    this.#page.pause.textContent = "Resume";
  }

  /** Forgets the file that is on its way. What was uploaded before can be submitted again. */
  #discard(): void {
    this.#stop();
    this.#end();
    this.#page.holdSubmit();
    this.#page.input.value = "";
    this.#page.complain();
    this.#page.warn();
    this.#page
      .refresh()
      .catch(() => this.#page.say("The upload was discarded. Reload this page to see the video that is uploaded."));
  }

  #pause({ file }: Run): void {
    this.#stop();
    this.#sayPaused(file);
  }

  #sayPaused({ name }: File): void {
    this.#page.say(`Paused. Click Resume to continue uploading ${name}.`);
  }

  /** Goes on through lost connections; what the server refuses again and again waits for the visitor. */
  async #send(run: Run): Promise<void> {
    const { file } = run;
    const speed = new Speed();
    const sayUploading = () => this.#page.say(`Uploading ${file.name}. Keep this page open.`);
    sayUploading();
    let [failures, refusals] = [0, 0];
    const watch = {
      sent: (bytes: number) => {
        if (run !== this.#run) return;
        sayUploading();
        this.#page.show(bytes, file.size, speed);
      },
      arrived: () => {
        failures = refusals = 0;
      },
    };
    while (run === this.#run) {
      try {
        await this.#upload.send(file, watch);
        return await this.#finish(file);
      } catch (error) {
        if (run !== this.#run) return;
        const reason = error as Error;
        if (reason instanceof Unusable) return this.#unusable(reason.message);
        if (reason instanceof Refusal && !reason.mayPass) return this.#refused(reason, file);
        if (reason instanceof Refusal && ++refusals >= triesPerRefusal)
          return this.#fail(`${reason.message}${this.#keptText(file)} Click Resume to try again.`);
        this.#page.say(
          navigator.onLine ? `${reason.message} Retrying…` : "You are offline. The upload resumes when you are online again.",
        );
        this.#page.showStanding();
        await this.#wait(Math.min(30_000, 500 * 2 ** failures++));
      }
    }
  }

  /** Waits for so many milliseconds, or until the connection is back or the visitor does something. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, ms);
    });
  }

  /** Browsers tell of a file that is chosen again only if the field was empty. */
  #unusable(text: string): void {
    this.#page.input.value = "";
    this.#fail(text);
  }

  #fail(text: string): void {
    this.#stop();
    this.#page.say("");
    this.#page.complain(text);
  }

  /** Nothing is kept if the server refused the file before any of it was sent. */
  #keptText(file: File): string {
    return this.#upload.keeps(file) ? " What was sent is kept." : "";
  }

  #refused(reason: Refusal, file: File): void {
    if (reason.status === 401 || reason.status === 403) {
      const [why, how] = reason.status === 401 ? ["You are signed out.", ", sign in and"] : [reason.message, " and"];
      this.#fail(`${why}${this.#keptText(file)} Reload this page${how} choose the same file again.`);
      this.#page.pause.hidden = true;
      return;
    }
    this.#end();
    this.#page.holdSubmit();
    this.#page.input.value = "";
    this.#fail(`${reason.message} ${this.#subject.again}, or reload this page.`);
  }

  /** There is nothing to resume any more. */
  #end(): void {
    this.#run = undefined;
    this.#file = undefined;
    this.#upload.forget();
    this.#page.progress.hidden = true;
    if (this.#page.discard) this.#page.discard.hidden = true;
  }

  /** Submitting waits until the page shows this file: it may still name the one before. */
  async #finish({ name }: File): Promise<void> {
    this.#end();
    try {
      await this.#page.refresh();
      this.#page.holdSubmit();
      if (this.#subject.waits) this.#page.say(`${name} is uploaded.`);
    } catch {
      this.#page.holdSubmit(`You can submit ${name} when this page is reloaded.`);
      this.#page.say(`${name} is uploaded. ${this.#subject.complete}`);
    }
  }

  /** After a reload: how far it was. The browser does not let a page keep the file, so it has to be chosen again. */
  async #recall(): Promise<void> {
    const known = this.#upload.remembered();
    const offset = known ? await this.#upload.offsetOf(known.url) : undefined;
    if (!known || offset === undefined || this.#file) return;
    if (offset === known.size) return this.#upload.forget();
    this.#page.show(offset, known.size);
    this.#page.pause.hidden = true;
    this.#page.say(`The upload of ${known.name} is incomplete. Choose the same file again to resume it.`);
  }
}

/** Lets a file be dropped anywhere on the box. */
function takeDrops(box: HTMLElement, input: HTMLInputElement): void {
  box.addEventListener("dragover", (event) => {
    event.preventDefault();
    box.classList.add("over");
  });
  box.addEventListener("dragleave", () => box.classList.remove("over"));
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    box.classList.remove("over");
    const files = event.dataTransfer?.files;
    if (!files || files.length === 0) return;
    input.files = files;
    input.dispatchEvent(new Event("change"));
  });
}

function videoUpload(slot: string, csrf: string, maxBytes: number): UploadPage {
  const page = new UploadPage("video", ["#video-state", "#video-label", "#submit"]);
  const upload = new ResumableUpload({ endpoint: `/api/v1/playtester/slots/${slot}/video`, memory: slot }, csrf);
  const words = { complete: "Reload this page, then submit it.", again: "Choose a video again" };
  new Uploader(page, upload, { check, waits: false, ...words }, maxBytes);
  return page;
}

async function buildUpload(game: string, csrf: string, maxBytes: number): Promise<UploadPage> {
  const { checkBuild, hashOf, labels } = await import("./builds.js");
  const page = new UploadPage("build", ["#builds", "#build-label"]);
  const describe = async (file: File) => {
    const read = (start: number, end: number) => readPart(file, start, end);
    const sha256 = await hashOf(file, read, (bytes) =>
      page.say(`Reading ${file.name}: ${Math.floor((bytes / file.size) * 100)} %`),
    );
    return { ...labels(), sha256, contentSha256: sha256 };
  };
  const upload = new ResumableUpload({ endpoint: `/api/v1/games/${game}/builds`, memory: game, describe }, csrf);
  const words = { complete: "Reload this page to see it.", again: "Choose a file again" };
  new Uploader(page, upload, { check: checkBuild, waits: true, ...words }, maxBytes);
  return page;
}

if (box) {
  const { slot, game, csrf = "", maxBytes } = box.dataset;
  const most = Number(maxBytes);
  const page = game === undefined ? videoUpload(slot!, csrf, most) : await buildUpload(game, csrf, most);
  takeDrops(box, page.input);
  box.hidden = false;
}
