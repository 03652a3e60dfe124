import { type PlaytestStatus, type SlotStatus, slotStatuses } from "../../contract/states/index.ts";
import { usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { parseGate } from "../shared/gate.ts";

/** Pure functions that decide when to stop waiting for a playtest. */

export type Counts = Readonly<Record<string, number>>;

export interface State {
  status: PlaytestStatus;
  /** Number of slots ordered. */
  quantity: number;
  slots: Counts;
}

export type Until = (state: State) => boolean;

/** Phase of a slot: it may still be submitted, a video was submitted, or it ended without a video. */
const phases = {
  open: "unfinished",
  reserved: "unfinished",
  blocked: "unfinished",
  submitted: "played",
  publishing: "played",
  accepted: "played",
  rejected: "played",
  expired: "unplayed",
  cancelled: "unplayed",
} as const satisfies Record<SlotStatus, string>;

const inPhase = (phase: "unfinished" | "played") => slotStatuses.filter((status) => phases[status] === phase);
const sum = (slots: Counts, names: readonly string[]) => names.reduce((total, name) => total + (slots[name] ?? 0), 0);
const played = ({ slots }: State) => sum(slots, inPhase("played"));
const unfinished = ({ slots }: State) => sum(slots, inPhase("unfinished"));
const ended = ({ status }: State) => status === "completed" || status === "cancelled" || status === "expired";
/** Other servers may have other statuses for it. A slot that is not counted is blocked or being published, and so has not ended. */
const allEnded = (state: State) =>
  unfinished(state) === 0 &&
  sum(state.slots, ["submitted", "publishing"]) === 0 &&
  sum(state.slots, Object.keys(state.slots)) >= state.quantity;
// An unpaid order has no slots, which must not count as all slots being done.
const unpaid = ({ status }: State) => status === "pending_payment";

export const untilForms = "any-submitted|all-submitted|N-submitted|all-reviewed|ended";

/**
 * Parses `--until`. Slots that have ended count as done. The returned function throws a usage error if the condition requires more
 * slots than the playtest has.
 */
export function parseUntil(text: string): Until {
  const done: Until = (state) => ended(state) || (!unpaid(state) && unfinished(state) === 0);
  const count = text === "any-submitted" ? 1 : Number(/^([1-9]\d{0,3})-submitted$/.exec(text)?.[1]);
  if (count > 0)
    return (state) => {
      // A retry adds a slot, so there may be more slots than were ordered.
      const most = Math.max(state.quantity, sum(state.slots, Object.keys(state.slots)));
      if (count > most)
        throw usage(`--until: ${text} is impossible, because the playtest has ${plural(most, "slot")}.`, "Use all-submitted.");
      return done(state) || played(state) >= count;
    };
  if (text === "all-submitted") return done;
  if (text === "all-reviewed") return (state) => ended(state) || (done(state) && sum(state.slots, ["submitted"]) === 0);
  if (text === "ended") return (state) => ended(state) || (!unpaid(state) && allEnded(state));
  throw usage(`--until: ${JSON.stringify(text)} is not one of ${untilForms}.`);
}

/** Parses one `--fail-if` condition on slot counts, such as `rejected>1`. */
export const parseSlotGate = (text: string) => parseGate(text, slotStatuses, "slot status");
