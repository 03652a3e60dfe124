/** Positions in a video, in seconds, as src/contract/text/position.ts writes and reads them. */
const inLink = /^(?:(\d{1,2})h)?(?:(\d{1,4})m)?(?:(\d{1,6}(?:\.\d{1,3})?)s?)?$/;
const clock = /^(?:(\d{1,2}):)?(\d{1,4}):([0-5]\d(?:\.\d{1,3})?)$/;

/** `12m41s`, `12:41` or `761` in seconds; undefined for any other text. */
export function parsePosition(text) {
  const found = text === "" ? null : (clock.exec(text) ?? inLink.exec(text));
  if (!found) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = found;
  return (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** The position that the address of the page names, as in `#t=12m41s`. */
export const positionInAddress = () => parsePosition(new URLSearchParams(location.hash.slice(1)).get("t") ?? "");

const two = (number) => String(number).padStart(2, "0");

const partsOf = (seconds) => {
  const whole = Math.floor(seconds);
  return { hours: Math.floor(whole / 3600), minutes: Math.floor(whole / 60) % 60, rest: whole % 60 };
};

/** `12:41` or `1:02:41` */
export function positionText(seconds) {
  const { hours, minutes, rest } = partsOf(seconds);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** `12:41.25`: with the parts of a second, in milliseconds. */
export function exactPosition(seconds) {
  const ms = Math.round(seconds * 1000);
  return positionText(ms / 1000) + (ms % 1000 === 0 ? "" : String((ms % 1000) / 1000).slice(1));
}

/** `12m41s` or `1h2m41s` */
export function positionInLink(seconds) {
  const { hours, minutes, rest } = partsOf(seconds);
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${rest}s`;
}
