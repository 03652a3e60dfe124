import { all, around } from "../shared/dom.ts";
import { showPartOf } from "./tabs.ts";

/** The moment that the video is at: the last one that has begun, else the first. */
function momentHere(form: HTMLFormElement, ms: number): string | undefined {
  const options = all<HTMLOptionElement>("[name=evidence] option", form);
  return (options.findLast((one) => Number(one.dataset.at) <= ms) ?? options[0])?.value;
}

function open(momentId: string | undefined): boolean {
  const form = document.querySelector<HTMLFormElement>("#same");
  const field = form?.querySelector<HTMLInputElement>("[name=number]");
  if (!form || !field) return false;
  const seconds = document.querySelector<HTMLVideoElement>("[data-player] video")?.currentTime ?? 0;
  const chosen = momentId ?? momentHere(form, seconds * 1000 + 1);
  const select = form.querySelector<HTMLSelectElement>("[name=evidence]");
  if (select && chosen) select.value = chosen;
  showPartOf(field);
  field.focus();
  return true;
}

/** Says that the moment here is the same as a finding: one key, the number, Enter. */
export const sameAsFinding = (): void => void open(undefined);

export function followSameLinks(): void {
  document.addEventListener("click", (event) => {
    const link = around<HTMLAnchorElement>(event, "a[data-same]");
    if (link && !event.ctrlKey && !event.metaKey && open(link.dataset.same)) event.preventDefault();
  });
}
