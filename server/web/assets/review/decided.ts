import { here } from "../shared/dom.ts";
import { account } from "./pages.ts";

/** What was decided in this tab, to say it when nothing else waits. It is gone when the tab is closed. */
interface Decided {
  what: string;
  /** The heading of the page, which names the playtester and the game. */
  title: string;
  path: string;
}

const name = () => `playtest decided ${account()}`;
const most = 50;

function read(): Decided[] {
  try {
    return JSON.parse(sessionStorage.getItem(name()) ?? "[]") as Decided[];
  } catch {
    return [];
  }
}

export function rememberDecision(what: string): void {
  const path = new URL(here()).pathname;
  const title = document.querySelector("h1")?.textContent ?? "";
  const others = read().filter((one) => one.path !== path);
  try {
    sessionStorage.setItem(name(), JSON.stringify([...others, { what, title, path }].slice(-most)));
  } catch {
    // This browser stores nothing, and the page says less.
  }
}

/** Lists what was decided, on the page that is shown when nothing else waits. */
export function showDecided(): void {
  const box = document.querySelector<HTMLElement>("#decided");
  const list = box?.querySelector("ul");
  if (!box || !list) return;
  const decided = read();
  list.replaceChildren(
    ...decided.map(({ what, title, path }) => {
      const item = document.createElement("li");
      const link = item.appendChild(document.createElement("a"));
      link.href = path;
      link.textContent = title;
      item.append(` ${what}`);
      return item;
    }),
  );
  box.hidden = decided.length === 0;
}
