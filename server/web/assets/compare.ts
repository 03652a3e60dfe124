import { positionText } from "../../../src/contract/text/position.ts";
import { all, the } from "./shared/dom.ts";

/** Plays videos side by side together: what is done with one is done with all. Without this script each has its own controls. */
const videos = all<HTMLVideoElement>("[data-together] video");
const bar = the(".together");
const button = the<HTMLButtonElement>("button", bar);
const slider = the<HTMLInputElement>("input", bar);
const readout = the(".at", bar);

/** Videos that are being moved to where another one is. Their own events move nobody. */
const following = new Set<HTMLVideoElement>();

/** Videos that were played or paused because another one was. Their own events, which come a moment later, move nobody. */
const told = new Set<HTMLVideoElement>();

/** Videos that were apart by less are left alone, because each correction interrupts the sound. In seconds. */
const tolerance = 0.7;

/** In seconds. Of a recording that says nothing of its length, what the server measured; 0 when nobody knows it. */
function lengthOf(video: HTMLVideoElement): number {
  if (Number.isFinite(video.duration)) return video.duration;
  return Number(video.closest<HTMLElement>("[data-player]")?.dataset.length ?? 0) / 1000;
}

const othersOf = (video: HTMLVideoElement) => videos.filter((other) => other !== video);
const longest = () => videos.reduce((best, video) => (lengthOf(video) > lengthOf(best) ? video : best));

function moveTo(video: HTMLVideoElement, seconds: number): void {
  const end = lengthOf(video) || seconds;
  const to = Math.min(seconds, end);
  if (Math.abs(video.currentTime - to) < 0.01) return;
  following.add(video);
  video.currentTime = to;
}

function playOthers(video: HTMLVideoElement): void {
  if (told.delete(video)) return;
  for (const other of othersOf(video)) {
    if (!other.paused || video.currentTime >= (lengthOf(other) || Number.POSITIVE_INFINITY)) continue;
    told.add(other);
    other.play().catch(() => told.delete(other));
  }
}

function pauseOthers(video: HTMLVideoElement): void {
  // The end of a shorter video stops nobody.
  if (told.delete(video) || video.ended) return;
  for (const other of othersOf(video)) {
    if (other.paused) continue;
    told.add(other);
    other.pause();
  }
}

function keepUp(): void {
  const leader = longest();
  if (!leader.seeking && !leader.paused)
    for (const other of othersOf(leader))
      if (!other.ended && !other.seeking && Math.abs(other.currentTime - leader.currentTime) > tolerance)
        moveTo(other, leader.currentTime);
  show();
}

function show(): void {
  const leader = longest();
  button.textContent = leader.paused ? "Play all" : "Pause all";
  const length = lengthOf(leader);
  const at = positionText(leader.currentTime * 1000);
  slider.disabled = length === 0;
  slider.max = String(length);
  slider.value = String(leader.currentTime);
  slider.setAttribute("aria-valuetext", at);
  readout.textContent = `${at} / ${length === 0 ? "–" : positionText(length * 1000)}`;
}

for (const video of videos) {
  video.addEventListener("play", () => playOthers(video));
  video.addEventListener("pause", () => pauseOthers(video));
  video.addEventListener("ratechange", () => {
    for (const other of othersOf(video)) if (other.playbackRate !== video.playbackRate) other.playbackRate = video.playbackRate;
  });
  video.addEventListener("seeking", () => {
    if (!following.has(video)) for (const other of othersOf(video)) moveTo(other, video.currentTime);
  });
  video.addEventListener("seeked", () => following.delete(video));
  for (const name of ["timeupdate", "loadedmetadata", "play", "pause"]) video.addEventListener(name, keepUp);
}

if (videos.length > 0) {
  bar.hidden = false;
  button.addEventListener("click", () => {
    const leader = longest();
    if (leader.paused) leader.play().catch(() => {});
    else leader.pause();
  });
  slider.addEventListener("input", () => {
    longest().currentTime = Number(slider.value);
  });
  show();
}
