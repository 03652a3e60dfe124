import { type PlaytestStatus, type SlotStatus, slotStatuses } from "../../contract/states/index.ts";
import { usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { parseGate } from "../shared/gate.ts";

/** When to stop waiting for a playtest: pure. */

export type Counts = Readonly<Record<string, number>>;

export interface State {
  status: PlaytestStatus;
  /** How many slots were ordered. */
  quantity: number;
  slots: Counts;
}

export type Until = (state: State) => boolean;

/** How far a slot is: somebody may still submit it, a video was submitted, or it ended without one. */
const phases = {
  open: "awaited",
  reserved: "awaited",
  blocked: "awaited",
  submitted: "played",
  publishing: "played",
  accepted: "played",
  rejected: "played",
  expired: "unplayed",
  cancelled: "unplayed",
} as const satisfies Record<SlotStatus, string>;

const inPhase = (phase: "awaited" | "played") => slotStatuses.filter((status) => phases[status] === phase);
const sum = (slots: Counts, names: readonly string[]) => names.reduce((total, name) => total + (slots[name] ?? 0), 0);
const played = ({ slots }: State) => sum(slots, inPhase("played"));
const awaited = ({ slots }: State) => sum(slots, inPhase("awaited"));
const over = ({ status }: State) => status === "completed" || status === "cancelled" || status === "expired";
// An order that waits for payment has no slots, which must not look like all of them being done.
const unpaid = ({ status }: State) => status === "pending_payment";

export const untilForms = "any-submitted|all-submitted|N-submitted|all-reviewed|ended";

/**
 * Reads `--until`. Slots that ended count as done: what can no longer come is not waited for. What it gives throws a usage error for more
 * slots than the playtest has.
 */
export function parseUntil(text: string): Until {
  const done: Until = (state) => over(state) || (!unpaid(state) && awaited(state) === 0);
  const count = text === "any-submitted" ? 1 : Number(/^([1-9]\d{0,3})-submitted$/.exec(text)?.[1]);
  if (count > 0)
    return (state) => {
      // A slot that is tried again is a further one, so the slots there are may be more than were ordered.
      const most = Math.max(state.quantity, sum(state.slots, Object.keys(state.slots)));
      if (count > most)
        throw usage(`--until: ${text} cannot be: the playtest has ${plural(most, "slot")}.`, "Use all-submitted.");
      return done(state) || played(state) >= count;
    };
  if (text === "all-submitted") return done;
  if (text === "all-reviewed") return (state) => over(state) || (done(state) && sum(state.slots, ["submitted"]) === 0);
  if (text === "ended") return over;
  throw usage(`--until: ${JSON.stringify(text)} is not one of ${untilForms}.`);
}

/** Reads one `--fail-if` of slot counts, such as `rejected>1`. */
export const parseSlotGate = (text: string) => parseGate(text, slotStatuses, "slot status");
