import { here, the } from "../shared/dom.ts";
import { durationText, MiB, type Speed, sizeText } from "./amounts.ts";

/** The part of the page that a file is chosen in, and what it says of the upload. */
export class UploadPage {
  readonly #what: "video" | "build";
  /** Parts that the server shows anew when a file is stored. */
  readonly #fresh: readonly string[];
  readonly state: HTMLElement;
  readonly input: HTMLInputElement;
  readonly pause = the<HTMLButtonElement>("#pause");
  readonly progress = the("#upload-progress");
  /** Only a page that submits what it uploads has it. */
  readonly discard = document.querySelector<HTMLButtonElement>("#discard");
  readonly #error: HTMLElement;
  readonly #warning: HTMLElement;
  #bar = the<HTMLProgressElement>("#progress");
  #percent = the("#percent");
  #transfer = the("#transfer");

  constructor(what: "video" | "build", fresh: readonly string[]) {
    this.#what = what;
    this.#fresh = fresh;
    this.state = the(`#${what}-state`);
    this.input = the<HTMLInputElement>(`#${what}`);
    this.#error = the(`#${what}-error`);
    this.#warning = the(`#${what}-warning`);
  }

  say(text: string): void {
    if (this.state.textContent !== text) this.state.textContent = text;
  }

  /** What to know about a file that is taken; nothing for no text. */
  warn(text?: string): void {
    this.#warning.textContent = text ?? "";
    this.#warning.hidden = text === undefined;
  }

  /** What is wrong and what to do; nothing for no text. */
  complain(text?: string): void {
    this.#error.textContent = text ?? "";
    this.#error.hidden = text === undefined;
    if (text === undefined) {
      this.input.removeAttribute("aria-invalid");
      this.input.removeAttribute("aria-describedby");
    } else {
      this.input.setAttribute("aria-invalid", "true");
      this.input.setAttribute("aria-describedby", `${this.#what}-error`);
    }
  }

  show(sent: number, size: number, speed?: Speed): void {
    this.progress.hidden = false;
    this.#bar.value = sent / size;
    this.#percent.textContent = `${Math.floor((sent / size) * 100)} %`;
    const rate = speed?.measure(sent);
    const left = rate === undefined ? "" : ` · ${sizeText(rate)}/s · ${durationText((size - sent) / rate)} left`;
    this.#transfer.textContent = `${(sent / MiB).toFixed(1)} of ${(size / MiB).toFixed(1)} MiB${left}`;
  }

  /** While nothing is sent there is no rate, and nobody knows how long it takes. */
  showStanding(): void {
    this.#transfer.textContent = this.#transfer.textContent.split(" · ")[0]!;
  }

  /** While a video is on its way, submitting would send the one before: the button waits, and says for what. Nothing for no text. */
  holdSubmit(why?: string): void {
    const waits = document.querySelector<HTMLElement>("#submit-waits");
    if (!waits) return;
    waits.textContent = why ?? "";
    waits.hidden = why === undefined;
    const button = document.querySelector<HTMLButtonElement>("#submit button");
    if (!button) return;
    if (why !== undefined && !button.disabled) {
      button.disabled = true;
      button.dataset.held = "yes";
      button.setAttribute("aria-describedby", "submit-waits");
    } else if (why === undefined && button.dataset.held) {
      button.disabled = false;
      delete button.dataset.held;
      button.removeAttribute("aria-describedby");
    }
  }

  /** Shows the video and the button as the server has them now. What was typed stays. Fails if the server replies with another page. */
  async refresh(): Promise<void> {
    const reply = await fetch(here());
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    for (const id of this.#fresh) the(id).replaceChildren(...the(id, page).childNodes);
  }
}
