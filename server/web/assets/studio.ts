import { offerCopies } from "./shared/copies.ts";
import { all, here, isInUse } from "./shared/dom.ts";

/** Studio without this script shows the same. With it, pages follow changes, and commands can be copied. */

let wanted = false;
let running = false;
/** A part that changed was in use. */
let postponed = false;

/** The shortest time between two requests for the page, in milliseconds. */
const pauseMs = 1_000;

/** Fetches this page again and replaces the parts that changed. What happens meanwhile is fetched after it. */
async function refresh(): Promise<void> {
  wanted = true;
  if (running || document.hidden) return;
  running = true;
  try {
    while (wanted) {
      wanted = false;
      const reply = await fetch(here(), { headers: { accept: "text/html" } });
      if (!reply.ok || reply.redirected) return;
      show(new DOMParser().parseFromString(await reply.text(), "text/html"));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } catch {
    // The server cannot be reached now. The next event or reload shows the changes.
  } finally {
    running = false;
  }
}

/** What each part looked like when it came from the server: scripts change times and buttons afterwards. */
const served = new Map<string, string>();

function show(fresh: Document): void {
  postponed = false;
  for (const part of all("[data-live]", fresh)) {
    const name = part.dataset.live!;
    const shown = document.querySelector(`[data-live="${name}"]`);
    if (!shown || served.get(name) === part.innerHTML) continue;
    if (isInUse(shown)) {
      postponed = true;
      continue;
    }
    served.set(name, part.innerHTML);
    shown.replaceChildren(...part.childNodes);
  }
  const [menu, current] = [fresh.querySelector(".bar nav"), document.querySelector(".bar nav")];
  if (menu && current && menu.innerHTML !== current.innerHTML && !current.contains(document.activeElement))
    current.replaceChildren(...menu.childNodes);
  offerCopies();
  document.dispatchEvent(new Event("playtest:shown"));
}

/** How often a page asks for changes where there is no stream of events. */
const everyMs = 20_000;

function follow(): void {
  const stream = new EventSource(new URL("../studio/events", import.meta.url));
  // What happened after the page was made and before the stream began is in neither.
  stream.addEventListener("open", () => void refresh(), { once: true });
  stream.addEventListener("message", (event) => {
    if (event.data) void refresh();
  });
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) setInterval(refresh, everyMs);
  });
  // A page that is left must not keep one of the account's streams open, also when the browser keeps it for the back button.
  addEventListener("pagehide", () => stream.close());
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  document.addEventListener("focusout", () => {
    if (postponed) void refresh();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && wanted) void refresh();
  });
}

offerCopies();
const live = all("[data-live]");
for (const part of live) served.set(part.dataset.live!, part.innerHTML);
if (live.length > 0) follow();
