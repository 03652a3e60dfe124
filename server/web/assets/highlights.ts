import { all, around, the } from "./shared/dom.ts";

/** Plays highlights one after the other in one player. Without this script each is a link to its place in its video. */

const root = the("[data-player]");
const video = the<HTMLVideoElement>("video", root);
const chosen = the<SVGElement>(".chosen", root);
const bar = the(".highlight-bar");
const status = the("[role=status]", bar);
const rows = all(".highlight-list > li");

let current = 0;
/** Where the video was at the last look, in seconds: only who watches the end of a highlight is led on, and not who seeks beyond it. */
let watched = 0;

const secondsOf = (row: HTMLElement, name: "from" | "to") => Number(row.dataset[name]) / 1000;
const linkOf = (row: HTMLElement) => the<HTMLAnchorElement>("a", row);

function load({ dataset: { video: source = "", length, captions } }: HTMLElement): void {
  if (new URL(source, location.href).pathname === new URL(video.src).pathname) return;
  if (length === undefined) delete root.dataset.length;
  else root.dataset.length = length;
  const isShowing = video.textTracks[0]?.mode === "showing";
  for (const track of all("track", video)) track.remove();
  if (captions !== undefined) {
    const track = Object.assign(document.createElement("track"), { kind: "captions", src: captions, label: "Captions" });
    video.append(track);
    if (isShowing) track.track.mode = "showing";
  }
  // A source sets the speed back.
  const { playbackRate } = video;
  video.src = source;
  video.playbackRate = playbackRate;
}

/** Shows a highlight, and plays it if `plays`. */
function show(index: number, plays: boolean): void {
  const row = rows[index];
  if (!row) return;
  current = index;
  load(row);
  const [from, to] = [secondsOf(row, "from"), secondsOf(row, "to")];
  video.currentTime = from;
  watched = from;
  chosen.setAttribute("x", String(from * 1000));
  chosen.setAttribute("width", String((to - from) * 1000));
  for (const other of rows) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  row.scrollIntoView({ block: "nearest" });
  status.textContent = `${index + 1} of ${rows.length}: ${the("p", row).textContent}`;
  // Where a browser does not let a page play by itself, its button does.
  if (plays) video.play().catch(() => {});
}

const go = (by: number) => show(current + by, true);

function follow(): void {
  const end = secondsOf(rows[current]!, "to");
  const before = watched;
  watched = video.currentTime;
  if (video.paused || video.seeking || before >= end || watched < end) return;
  if (current + 1 < rows.length) go(1);
  else {
    video.pause();
    status.textContent = "That was the last highlight.";
  }
}

video.addEventListener("timeupdate", follow);
video.addEventListener("seeked", () => {
  watched = video.currentTime;
});
// A highlight may last as long as its video, and a video that cannot be played stops nobody.
video.addEventListener("ended", () => {
  if (watched <= secondsOf(rows[current]!, "to")) go(1);
});

document.addEventListener("click", (event) => {
  const by = around(event, "[data-go]")?.dataset.go;
  if (by !== undefined) return go(Number(by));
  const row = around(event, ".highlight-list a")?.closest("li");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(rows.indexOf(row), true);
});

const keys: Readonly<Record<string, () => void>> = {
  n: () => go(1),
  p: () => go(-1),
  v() {
    const { href } = linkOf(rows[current]!);
    location.assign(`${href.slice(0, href.indexOf("#"))}#t=${Math.floor(video.currentTime)}s`);
  },
};

document.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || document.querySelector("dialog[open]")) return;
  if (around(event, "input:not([type=checkbox], [type=radio]), select, textarea")) return;
  if (!Object.hasOwn(keys, key)) return;
  event.preventDefault();
  keys[key]!();
});

bar.hidden = false;
show(0, false);
