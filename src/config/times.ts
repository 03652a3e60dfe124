import { usage } from "../errors.ts";
import { parseDuration } from "./settings.ts";

/** What the help of a flag says about its times. */
export const timeForms = "2026-01-31 or 2026-01-31T08:00:00+01:00 (ISO 8601; UTC if no zone is given)";

const isoTime =
  /^(\d{4}-(?:0[1-9]|1[0-2])-\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|([+-])([01]\d|2[0-3]):?([0-5]\d))?)?$/i;

/**
 * The milliseconds of a time in ISO 8601. Nothing else is understood: `Date.parse` takes `Nov 5` for one of 2001, `01.02.2026` for the
 * second of January, and `2026-02-30` for a day of March. Undefined: another text. Null: a day that does not exist.
 */
export function parseTime(text: string): number | undefined | null {
  const found = isoTime.exec(text.trim());
  if (!found) return undefined;
  const [, day = "", hour = "00", minute = "00", second = "00", fraction = "", , sign, zoneHour = "0", zoneMinute = "0"] = found;
  const time = Date.parse(`${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}Z`);
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(day)) return null;
  const ahead = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000;
  return sign === "-" ? time + ahead : time - ahead;
}

/** A time; throws a usage error that starts with `label` for any other text. `expected`: what else would be right. */
export function requireTime(text: string, label: string, expected = "a time, such as"): number {
  const time = parseTime(text);
  if (time === null) throw usage(`${label}: the day ${text.trim().slice(0, 10)} does not exist.`);
  if (time === undefined) throw usage(`${label}: ${JSON.stringify(text)} is not ${expected} ${timeForms}.`);
  return time;
}

/** A time, or how long ago it was, with a unit: a bare number could be either. Nothing is older than 1970. */
export function parseMoment(text: string, label: string): (now: number) => number {
  const ago = /[smhd]$/.test(text.trim()) ? parseDuration(text) : undefined;
  if (ago !== undefined) return (now) => Math.max(0, now - ago * 1000);
  const time = Math.max(0, requireTime(text, label, "a duration with a unit, such as 2h or 30d, or a time, such as"));
  return () => time;
}
