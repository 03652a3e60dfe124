import { all } from "./dom.ts";

/** Shows the buttons that copy a text, in a browser that can. */
export function offerCopies(): void {
  for (const button of all<HTMLButtonElement>("button[data-copy]")) {
    if (!navigator.clipboard || button.dataset.ready) continue;
    button.dataset.ready = "yes";
    button.hidden = false;
    const label = button.firstChild!;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy!);
        label.textContent = "Copied";
      } catch {
        label.textContent = "Cannot copy";
      }
      setTimeout(() => {
        label.textContent = "Copy";
      }, 2000);
    });
  }
}
