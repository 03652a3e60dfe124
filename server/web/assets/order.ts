import { offerCopies } from "./shared/copies.ts";
import { the } from "./shared/dom.ts";

/** Keeps the price of an order up to date while its form is filled in. Without this script a button shows the price. */

const waitMs = 400;

function keepPrice(form: HTMLFormElement): void {
  const quote = the("#quote", form);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = 0;

  async function show(): Promise<void> {
    const turn = ++latest;
    if (!form.checkValidity()) return;
    const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    const reply = await fetch(form.action, { method: "POST", body, headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (turn !== latest || reply.redirected) return;
    const fresh = page.querySelector(reply.ok ? "#quote" : "main .note.bad");
    if (!fresh) return;
    // A page that replaces a part must not take the focus, as it does when it is loaded.
    fresh.querySelector("[autofocus]")?.removeAttribute("autofocus");
    fresh.removeAttribute("autofocus");
    quote.replaceChildren(...(reply.ok ? fresh.childNodes : [fresh]));
    offerCopies();
  }

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void show().catch(() => {}), waitMs);
  };
  form.addEventListener("input", soon);
  the("#show-price", form).hidden = true;
  if (quote.childElementCount === 0) soon();
}

const form = document.querySelector<HTMLFormElement>("#order");
if (form) keepPrice(form);
