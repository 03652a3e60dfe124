import { review } from "../files.ts";
import type { Mutant } from "../mutant.ts";

export const publishingRules: readonly Mutant[] = [
  {
    rule: "an accepted public slot is publishing until the video is out",
    test: "api/public",
    edits: [[review, "if (isPublic) await", "if (isPublic && playtest.quantity < 0) await"]],
  },
  {
    rule: "a trial's video waits for an admin",
    test: "api/public",
    edits: [[review, "if (await awaitsAdmin(tx, playtest, slot))", "if (slot.id === undefined)"]],
  },
];
