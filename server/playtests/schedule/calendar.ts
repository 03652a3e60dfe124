/** A calendar file with one event (RFC 5545). It is short enough to need no library: times in UTC, no repetition, no time zone definitions. */
export interface CalendarEvent {
  /** The same for every version of the event, so that a calendar replaces the earlier one. */
  uid: string;
  /** When this version was made, and when the event begins and ends (ms). */
  madeAt: number;
  startsAt: number;
  endsAt: number;
  summary: string;
  description: string;
  url: string;
}

const minute = 60_000;

/** `20261205T170000Z`. */
const stamp = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;

/** Section 3.3.11. Line breaks become `\n`, and other control characters, which are not allowed, go. */
const escaped = (text: string) =>
  text
    .replaceAll(/[\\;,]/g, "\\$&")
    .replaceAll(/\r\n|[\r\n\u2028\u2029]/g, "\\n")
    .replaceAll(/[\p{Cc}]/gu, "");

const longestLine = 75;

/** Section 3.1: a line has at most 75 octets; what is longer continues on the next, after a space. No character is split. */
function folded(line: string): string {
  const lines: string[] = [];
  let current = "";
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > longestLine) {
      lines.push(current);
      current = " ";
      octets = 1;
    }
    current += character;
    octets += size;
  }
  return [...lines, current].join("\r\n");
}

export function calendarFile(event: CalendarEvent): string {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//playtest//playtest serve//EN",
    "METHOD:PUBLISH",
    "BEGIN:VEVENT",
    `UID:${escaped(event.uid)}`,
    `DTSTAMP:${stamp(event.madeAt)}`,
    // A later version has a higher number; a 32-bit integer holds the minutes of all times.
    `SEQUENCE:${Math.floor(event.madeAt / minute)}`,
    `DTSTART:${stamp(event.startsAt)}`,
    `DTEND:${stamp(event.endsAt)}`,
    `SUMMARY:${escaped(event.summary)}`,
    `DESCRIPTION:${escaped(event.description)}`,
    `URL:${event.url}`,
    "END:VEVENT",
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}
