import { Temporal } from "temporal-polyfill";
import { isTimeZone } from "./zones.ts";

/** Import this file on demand only: few commands and pages read a local time. */

/** The forms of a local time, for help and errors. */
export const localForms = '"2026-12-05 18:00", or with its offset from UTC, 2026-12-05T18:00+01:00';

const form = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s?(Z|[+-]\d\d:?\d\d)?$/i;

export type LocalTime = { instant: string } | { fault: string };

/**
 * The instant (ISO 8601 in UTC) of a date and time on the clocks of a zone, or with its own offset. A local time that the change to or from
 * summer time skips or repeats is a fault, which says what to write instead.
 */
export function localTime(text: string, zone: string): LocalTime {
  const [, day, time, offset] = form.exec(text.trim()) ?? [];
  if (day === undefined || time === undefined) return { fault: `is not a date and time such as ${localForms}` };
  if (offset !== undefined) return parsed(() => Temporal.Instant.from(`${day}T${time}${offset}`));
  if (!isTimeZone(zone)) return { fault: `cannot be read: ${JSON.stringify(zone)} is not a time zone such as Europe/Berlin` };
  return inZone(`${day}T${time}`, zone);
}

const noSuchTime = { fault: "is no date and time that exists" };

function parsed(read: () => Temporal.Instant): LocalTime {
  try {
    return { instant: new Date(read().epochMilliseconds).toISOString() };
  } catch (error) {
    if (error instanceof RangeError) return noSuchTime;
    throw error;
  }
}

function inZone(text: string, zone: string): LocalTime {
  let local: Temporal.PlainDateTime;
  try {
    local = Temporal.PlainDateTime.from(text, { overflow: "reject" });
  } catch {
    return noSuchTime;
  }
  const [earlier, later] = (["earlier", "later"] as const).map((disambiguation) =>
    local.toZonedDateTime(zone, { disambiguation }),
  );
  if (earlier!.epochMilliseconds === later!.epochMilliseconds) return parsed(() => earlier!.toInstant());
  if (earlier!.toPlainDateTime().equals(local))
    return {
      fault: `occurs twice in ${zone}, where clocks go back then: add the offset, ${shown(earlier!)} or ${shown(later!)}`,
    };
  return { fault: `does not exist in ${zone}, where clocks go forward then: the next is ${shown(later!)}` };
}

const shown = (time: Temporal.ZonedDateTime) => time.toString({ smallestUnit: "minute", timeZoneName: "never" });

export const hasOffset = (text: string): boolean => /(Z|[+-]\d\d:?\d\d)$/i.test(text.trim());

export type TimeReader = (text: string) => LocalTime;

/** Reads the times of a file in a zone; null where none is known, so that each time needs an offset. `setZone` says how to set one. */
export const timesIn =
  (zone: string | null, setZone: string): TimeReader =>
  (text) => {
    const read = localTime(text, zone ?? "UTC");
    if ("fault" in read || zone !== null || hasOffset(text)) return read;
    return { fault: `has no time zone, and none is set in your profile: add an offset such as +01:00, or ${setZone}` };
  };
