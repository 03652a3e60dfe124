import * as z from "zod";
import { timestamp } from "../fields.ts";
import { issueStates, trackers } from "./trackers.ts";

/** The issue of a finding, as it is shown with it. */
export const issue = z
  .strictObject({
    tracker: z.enum(trackers),
    target: z.string().meta({ description: "Repository, project or team in which it is." }),
    key: z
      .string()
      .nullable()
      .meta({ description: "What the tracker calls it, such as `#12` or `LANT-12`; null until it exists." }),
    url: z.string().nullable().meta({ description: "Its page; null until it exists." }),
    state: z.enum(issueStates).meta({
      description: "`waiting`: it is not known to exist yet. `deleted`: the tracker no longer has it.",
    }),
    error: z.string().nullable().meta({ description: "Why the last try failed; null if it did not." }),
    nextTryAt: timestamp().nullable().meta({ description: "When the tracker is asked next; null if nothing waits." }),
    checkedAt: timestamp().nullable().meta({ description: "When the tracker last said what it has." }),
  })
  .meta({ id: "FindingIssue" });
