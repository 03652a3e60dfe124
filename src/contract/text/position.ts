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

/** `12:41` or `1:02:41`; parts of a second are left out. */
export function positionText(ms: number): string {
  const whole = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** `12:41.25`: with the parts of a second, so that a field with it changes nothing when it is sent back. */
export const exactPosition = (ms: number) => `${positionText(ms)}${ms % 1000 === 0 ? "" : String((ms % 1000) / 1000).slice(1)}`;

/** `12m41s` or `1h2m41s`, as links to a position have it; parts of a second are left out. */
export function positionInLink(ms: number): string {
  const whole = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = `${minutes > 0 || hours > 0 ? `${minutes}m` : ""}${whole % 60}s`;
  return hours > 0 ? `${hours}h${rest}` : rest;
}
