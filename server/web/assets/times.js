/** Says times as they are where the reader is. Without this script they stand in UTC. */
const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

for (const time of document.querySelectorAll("time[datetime]")) {
  time.title = time.textContent;
  time.textContent = format.format(new Date(time.dateTime));
}
