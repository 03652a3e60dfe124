import { invalid } from "../../../lib/api-error.ts";
import { html, type Markup } from "../../html.ts";
import { fault, marked } from "../../shared/parts.ts";
import type { FormField } from "../../shared/types.ts";
import { zoneOptions } from "../../shared/zone.ts";
import type { Form } from "../../types.ts";
import type { StudioContext } from "../types.ts";

/** The date and time at which a playtest is played, as an owner enters it on the clocks of a time zone. */

export const timeFields: Readonly<Record<string, FormField>> = {
  scheduledAt: { label: "Date and time", id: "at" },
  timeZone: { label: "Time zone", id: "at-zone" },
};

/** `zone` is that of the owner's profile; null without one. */
export const timeInputs = (
  context: StudioContext,
  { label, zone, isRequired = false }: { label: Markup | string; zone: string | null; isRequired?: boolean },
): Markup => html`<div class="pair"><div><label for="at">${label}</label>
<input id="at" name="at" type="datetime-local" value="${context.form.at}"${isRequired && html` required`}${marked(context, "at")}>${fault(context, "at")}</div>
<div><label for="at-zone">Time zone <span class="soft">of the date and time</span></label>
<input id="at-zone" name="atZone" list="at-zones" autocomplete="off" maxlength="64" placeholder="Europe/Berlin" value="${context.form.atZone ?? zone}"${isRequired && html` required`}${marked(context, "at-zone")}>
<datalist id="at-zones">${zoneOptions}</datalist>${fault(context, "at-zone")}</div></div>`;

export const isTimed = ({ at }: Form): boolean => at !== undefined && at.trim() !== "";

/**
 * The instant (ISO 8601) that was entered; undefined where none was. 422 for one that a change to or from summer time skips or repeats, and on a
 * server that does not know fixed times, which could ignore it.
 */
export async function enteredTime({ form, offers }: StudioContext): Promise<string | undefined> {
  if (!isTimed(form)) return undefined;
  if (!(await offers("rescheduleSlot")))
    throw invalid("scheduledAt", "cannot be used: this server has no playtests at a fixed time");
  const zone = form.atZone?.trim() ?? "";
  const [{ localTime }, { isTimeZone }] = await Promise.all([
    import("../../../../src/contract/time/local.ts"),
    import("../../../../src/contract/time/zones.ts"),
  ]);
  if (!isTimeZone(zone)) throw invalid("timeZone", "must be a time zone such as Europe/Berlin");
  const read = localTime(form.at!, zone);
  if ("instant" in read) return read.instant;
  throw invalid("scheduledAt", read.fault);
}
