const clock = /^(?:(\d{1,2}):)?(\d{1,4}):([0-5]\d)(?:\.(\d{1,3}))?$/;
const seconds = /^(\d{1,6})(?:\.(\d{1,3}))?s?$/;

const fraction = (digits = "") => Number(digits.padEnd(3, "0"));

/** A position in a video in ms: `12:41`, `1:02:41.5`, or seconds such as `90` or `90s`. Undefined for any other text. */
export function parsePosition(text: string): number | undefined {
  const [, hours = "0", minutes, rest, digits] = clock.exec(text) ?? [];
  if (minutes !== undefined && (hours === "0" || Number(minutes) < 60))
    return (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)) * 1000 + fraction(digits);
  const [, whole, part] = seconds.exec(text) ?? [];
  return whole === undefined ? undefined : Number(whole) * 1000 + fraction(part);
}

/** `12:41` or `1:02:41`; parts of a second are left out. */
export function positionText(ms: number): string {
  const whole = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
