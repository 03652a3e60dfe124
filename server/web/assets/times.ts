import { all } from "./shared/dom.ts";

/** Shows times in the reader's time zone. Without this script they are in UTC. */
const format = new Intl.DateTimeFormat("en-US", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
});

function showTimes(): void {
  for (const time of all<HTMLTimeElement>("time[datetime]:not([title])")) {
    time.title = time.textContent;
    time.textContent = format.format(new Date(time.dateTime));
  }
}

showTimes();
document.addEventListener("playtest:shown", showTimes);
