import { plural } from "../../../src/contract/text/plural.ts";
import { zonedText } from "../../../src/contract/time/zones.ts";
import { html, type Markup } from "../html.ts";

const format = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone: "UTC" });

export const time = (iso: string): Markup => html`<time datetime="${iso}">${format.format(new Date(iso))} UTC</time>`;

/**
 * A fixed time as people in a zone read it, with the name of the zone. Null for UTC: a script then shows it in the zone of the browser, as it
 * does with every time that has no title.
 */
export function timeIn(iso: string, zone: string | null): Markup {
  const [ms, utc] = [Date.parse(iso), zonedText(Date.parse(iso), null)];
  return html`<time datetime="${iso}"${zone !== null && html` title="${utc}"`}>${zonedText(ms, zone)}</time>`;
}

/** An hour of the day in UTC, such as `08:00 UTC`. */
export const timeOfDay = (hour: number) => `${String(hour).padStart(2, "0")}:00 UTC`;

const units = [
  ["day", 1440],
  ["hour", 60],
  ["minute", 1],
] as const;

/** The time left until `iso`, such as "in 2 days", rounded down to a whole unit; below three hours with minutes. Empty when it has passed. */
export function until(iso: string, now: number): string {
  const minutes = Math.floor((Date.parse(iso) - now) / 60_000);
  if (minutes < 0) return "";
  if (minutes < 1) return "in less than a minute";
  const [unit, size] = units.find(([, length]) => minutes >= 2 * length) ?? ["minute", 1];
  const rest = unit === "hour" && minutes < 180 ? minutes % 60 : 0;
  return `in ${plural(Math.floor(minutes / size), unit)}${rest > 0 ? ` ${plural(rest, "minute")}` : ""}`;
}

export const players = (count: number) => plural(count, "player");
