import { all } from "../shared/dom.ts";

/** On a narrow screen one part of the review is shown at a time; the style hides the others. On a wide one all are shown. */
const panels = all("[data-panel]");
const links = all<HTMLAnchorElement>(".review-tabs a");

function show(panel: Element): void {
  for (const one of panels) one.classList.toggle("shown", one === panel);
  for (const link of links) {
    if (link.hash === `#${panel.id}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Shows the part in which something is about to get the focus. */
export function showPartOf(element: Element): void {
  const panel = element.closest("[data-panel]");
  if (panel) show(panel);
}

export function startTabs(): void {
  for (const link of links)
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const panel = document.querySelector(link.hash);
      if (panel) show(panel);
    });
  // The bar that accepts and rejects below the other parts has no room for a reason.
  const reject = document.querySelector<HTMLDetailsElement>(".decision > .reject");
  reject?.addEventListener("toggle", () => reject.open && showPartOf(reject));
  const asked = document.getElementById(location.hash.slice(1))?.closest("[data-panel]");
  const wrong = document.querySelector("[data-panel] [aria-invalid]")?.closest("[data-panel]");
  const first = wrong ?? asked ?? panels.find(({ id }) => id === "decide") ?? panels[0];
  if (first) show(first);
}
