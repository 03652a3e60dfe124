/** The time zone of people who chose none. */
export const defaultZone = "UTC";

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    });
  } catch {
    return undefined;
  }
}

/** Whether this is the name of a time zone in the IANA database, such as `Europe/Berlin`. An offset is none: it knows no summer time. */
export const isTimeZone = (name: string): boolean => /^[A-Za-z]/.test(name) && formatOf(name) !== undefined;

/** The name of a time zone as the IANA database writes it, also when it was given in other letters. */
export function zoneName(name: string): string {
  const known = formatOf(name)?.resolvedOptions().timeZone;
  // The runtime may resolve a name to an older one of the same zone, such as Asia/Calcutta. The chosen name stays then.
  return known?.toLowerCase() === name.toLowerCase() ? known : name;
}

/**
 * An instant (ms) as a person in this zone reads it, with the zone and its offset then: `Sat 2026-12-05 18:00, Europe/Berlin (UTC+01:00)`.
 * A zone that this runtime does not know is shown as UTC.
 */
export function zonedText(ms: number, zone: string | null | undefined): string {
  const name = zone != null && isTimeZone(zone) ? zone : defaultZone;
  const part = Object.fromEntries(
    formatOf(name)!
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const offset = part.timeZoneName!.replace("GMT", "UTC");
  const text = `${part.weekday} ${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}, ${name}`;
  return name === defaultZone ? text : `${text} (${offset === "UTC" ? "UTC+00:00" : offset})`;
}
