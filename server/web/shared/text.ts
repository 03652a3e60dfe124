import { plural } from "../../../src/contract/text/plural.ts";
import { html, type Markup } from "../html.ts";

const format = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone: "UTC" });

export const time = (iso: string): Markup => html`<time datetime="${iso}">${format.format(new Date(iso))} UTC</time>`;

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
