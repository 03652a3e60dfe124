import { html } from "../html.ts";
import type { PageContext } from "./types.ts";

/** The time zones that a browser suggests. */
export const zoneOptions = html`${Intl.supportedValuesOf("timeZone").map((zone) => html`<option value="${zone}">`)}`;

/** The time zone of the reader's profile, in which fixed times are told; null without one. Asked only for a page that has such a time. */
export async function zoneFor(
  context: Pick<PageContext, "call">,
  times: readonly (string | null | undefined)[],
): Promise<string | null> {
  return times.every((time) => time == null) ? null : profileZone(context);
}

/** The time zone of the reader's profile; null without one. */
export const profileZone = async ({ call }: Pick<PageContext, "call">): Promise<string | null> =>
  (await call("getMe")).data.profile?.timeZone ?? null;
