import type { Data } from "../../../../src/contract/index.ts";
import { html, type Markup } from "../../html.ts";
import { timeIn, until } from "../../shared/text.ts";

type Times = Pick<Data<"getSlot">["slot"], "scheduledAt" | "proposal">;

/** When a playtest or a slot of it is played. Servers that do not know fixed times have none. `zone`: null for UTC. */
export const fixedTime = ({ scheduledAt: at }: Pick<Times, "scheduledAt">, now: number, zone: string | null): Markup | false =>
  at != null &&
  html`<p><strong>Played at ${timeIn(at, zone)}</strong> <span class="soft">(${until(at, now) || "it has begun"})</span></p>`;

/** The other time that the owner proposes for a slot, while its playtester has not answered. */
export const proposed = ({ scheduledAt, proposal }: Times, now: number, zone: string | null): Markup | false =>
  proposal != null &&
  html`<p>You proposed ${timeIn(proposal.scheduledAt, zone)} instead of ${timeIn(scheduledAt!, zone)}. The answer is due ${until(proposal.answerBy, now) || "now"}.</p>`;
