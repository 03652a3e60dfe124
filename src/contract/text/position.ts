const clock = /^(?:(\d{1,2}):)?(\d{1,4}):([0-5]\d)(?:\.(\d{1,3}))?$/;
const units = /^(?:(\d{1,2})h)?(?:(\d{1,4})m)?(?:([0-5]?\d)(?:\.(\d{1,3}))?s)?$/;
const seconds = /^(\d{1,6})(?:\.(\d{1,3}))?s?$/;

const fraction = (digits = "") => Number(digits.padEnd(3, "0"));

const inMs = (hours = "0", minutes = "0", rest = "0", digits?: string) =>
  (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)) * 1000 + fraction(digits);

/** A position in a video in ms: `12:41`, `1:02:41.5`, `12m41s`, or seconds such as `90` or `90s`. Undefined for any other text. */
export function parsePosition(text: string): number | undefined {
  const [, whole, part] = seconds.exec(text) ?? [];
  if (whole !== undefined) return Number(whole) * 1000 + fraction(part);
  const [, hours, minutes, rest, digits] = clock.exec(text) ?? (text === "" ? [] : (units.exec(text) ?? []));
  if (hours === undefined && minutes === undefined && rest === undefined) return undefined;
  return hours !== undefined && Number(minutes ?? 0) >= 60 ? undefined : inMs(hours, minutes, rest, digits);
}

/** Whole hours, minutes and seconds. */
function partsOf(ms: number): { hours: number; minutes: number; rest: number } {
  const whole = Math.floor(ms / 1000);
  return { hours: Math.floor(whole / 3600), minutes: Math.floor(whole / 60) % 60, rest: whole % 60 };
}

const two = (number: number) => String(number).padStart(2, "0");

/** `12:41` or `1:02:41`; parts of a second are left out. */
export function positionText(ms: number): string {
  const { hours, minutes, rest } = partsOf(ms);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** `12:41.25`: with the parts of a second, so that a field with it changes nothing when it is sent back. */
export const exactPosition = (ms: number) => `${positionText(ms)}${ms % 1000 === 0 ? "" : String((ms % 1000) / 1000).slice(1)}`;

/** `01:02:03.456`, as the times of cues are written. */
export function cueTime(ms: number): string {
  const { hours, minutes, rest } = partsOf(ms);
  return `${two(hours)}:${two(minutes)}:${two(rest)}.${String(Math.floor(ms % 1000)).padStart(3, "0")}`;
}

/** Seconds in whole ms. Seconds such as 2.007 have no exact binary number, so that they are not 2007 ms without rounding. */
export const secondsInMs = (seconds: number) => Math.round(seconds * 1000);

/** The time of a cue in ms: `01:02:03.456`, without hours, or with a comma as in SubRip. The text must be one. */
export function cueTimeInMs(text: string): number {
  const [rest, minutes, hours = "0"] = text.replace(",", ".").split(":").reverse();
  return (Number(hours) * 60 + Number(minutes)) * 60_000 + secondsInMs(Number(rest));
}

/** `12m41s` or `1h2m41s`, as links to a position have it; parts of a second are left out. */
export function positionInLink(ms: number): string {
  const { hours, minutes, rest } = partsOf(ms);
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${rest}s`;
}
