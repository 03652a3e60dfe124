import { intervalOf, type Share } from "../../contract/findings/exact.ts";
import { type SlotStatus, slotStatuses } from "../../contract/states/index.ts";
import { usage } from "../../errors.ts";

/** Pure functions for `--fail-if` conditions on shares, such as `rejected>20%`. */

/** What a share is of: slots with a status, or the playtesters who met a finding. */
export type Counted = { status: SlotStatus } | { finding: number };

export interface ShareGate {
  of: Counted;
  /** Whether the share certainly meets the condition: the whole interval does, and not only the share that was seen. */
  fails(share: Share): boolean;
}

const reviewed = ["accepted", "publishing", "rejected"] as const satisfies readonly SlotStatus[];

/** The share of the slots with a status: of those that were reviewed, if it is a status after a review, and of all otherwise. */
export function shareOfSlots(status: SlotStatus, slots: Readonly<Record<string, number>>): Share {
  const among: readonly string[] = (reviewed as readonly SlotStatus[]).includes(status) ? reviewed : Object.keys(slots);
  return { seen: slots[status] ?? 0, of: among.reduce((sum, name) => sum + (slots[name] ?? 0), 0) };
}

function countedBy(name: string, text: string): Counted {
  if (name.startsWith("#")) return { finding: Number(name.slice(1)) };
  const status = slotStatuses.find((one) => one === name);
  if (status) return { status };
  throw usage(
    `--fail-if: unknown slot status ${JSON.stringify(name)} in ${JSON.stringify(text)}.`,
    `Use one of ${slotStatuses.join(", ")}, or the number of a finding, such as #7.`,
  );
}

/** Parses a condition on a share. Undefined for one that is not about a share. */
export function parseShareGate(text: string): ShareGate | undefined {
  const [, name = "", operator, percent] = /^\s*(#\d{1,6}|\w+)\s*(>=|<=|>|<)\s*(\d{1,3}(?:\.\d+)?)\s*%\s*$/.exec(text) ?? [];
  if (operator === undefined) {
    if (/[#%]/.test(text))
      throw usage(
        `--fail-if: ${JSON.stringify(text)} is not a valid condition on a share. Example: rejected>20% or #7>10%.`,
        "Operators: > >= < <=.",
      );
    return undefined;
  }
  const limit = Number(percent) / 100;
  if (limit > 1) throw usage(`--fail-if: ${JSON.stringify(text)} is not possible: no share is more than 100%.`);
  const of = countedBy(name, text);
  return {
    of,
    fails(share) {
      const { low, high } = intervalOf(share);
      if (operator === ">") return low > limit;
      if (operator === ">=") return low >= limit;
      return operator === "<" ? high < limit : high <= limit;
    },
  };
}

/** `6 of 20, which is 11% to 55% with a confidence of 95%`. */
export function shareText(share: Share): string {
  const { low, high } = intervalOf(share);
  return `${share.seen} of ${share.of}, which is ${Math.floor(low * 100)}% to ${Math.ceil(high * 100)}% with a confidence of 95%`;
}
