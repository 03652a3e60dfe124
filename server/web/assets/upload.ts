import { the } from "./shared/dom.ts";
import { Speed } from "./upload/amounts.ts";
import { check, Unusable } from "./upload/check.ts";
import { UploadPage } from "./upload/page.ts";
import { Refusal, ResumableUpload } from "./upload/resumable.ts";

/** Uploads a slot's video, which can be paused and survives lost connections. Without this script the page's plain form does it. */
const box = document.querySelector<HTMLElement>("#upload");
const triesPerRefusal = 4;

/** One time that a file is sent, until it is paused, ends or fails. */
interface Run {
  file: File;
}

class Uploader {
  #page = new UploadPage();
  #upload: ResumableUpload;
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

  constructor(upload: ResumableUpload, maxBytes: number) {
    this.#upload = upload;
    this.#maxBytes = maxBytes;
    const { input, pause } = this.#page;
    input.addEventListener("change", () => void this.#choose());
    pause.addEventListener("click", () => {
      if (this.#run) this.#pause(this.#run);
      else if (this.#file) this.#start(this.#file);
    });
    this.#page.discard.addEventListener("click", () => this.#discard());
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
    const { warning, reason } = await check(file, this.#maxBytes).then(
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
    this.#start(file);
  }

  #start(file: File): void {
    const run = { file };
    this.#file = file;
    this.#run = run;
    const { pause, progress, discard } = this.#page;
    this.#page.complain();
    this.#page.holdSubmit(`You can submit when ${file.name} is uploaded.`);
    discard.hidden = false;
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
    this.#page.input.value = "";
    this.#fail(`${reason.message} Choose a video again, or reload this page.`);
  }

  /** There is nothing to resume any more. */
  #end(): void {
    this.#run = undefined;
    this.#file = undefined;
    this.#upload.forget();
    this.#page.progress.hidden = true;
    this.#page.discard.hidden = true;
    this.#page.holdSubmit();
  }

  async #finish({ name }: File): Promise<void> {
    this.#end();
    try {
      await this.#page.refresh();
    } catch {
      this.#page.say(`${name} is uploaded. Reload this page, then submit it.`);
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

if (box) {
  const { slot, csrf, maxBytes } = box.dataset;
  new Uploader(new ResumableUpload(slot!, csrf!), Number(maxBytes));
  box.hidden = false;
}
