import type { PageContext } from "./types.ts";

/** The time zone of the reader's profile, in which fixed times are told; null without one. Asked only for a page that has such a time. */
export async function zoneFor(
  context: Pick<PageContext, "call">,
  times: readonly (string | null | undefined)[],
): Promise<string | null> {
  if (times.every((time) => time == null)) return null;
  return (await context.call("getMe")).data.profile?.timeZone ?? null;
}
