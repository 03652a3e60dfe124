import { type Context, define, flag, type Outcome } from "../../cli/define.ts";
import { factsOf } from "./recording.ts";
import { type Faulty, faultyView, queueView } from "./view.ts";

type Pages = Extract<Outcome, { kind: "list" }>["pages"];

/** The submissions of each page whose recordings look wrong, with what that is. */
async function* faultyOf(ctx: Context, pages: Pages): Pages {
  for await (const page of pages) {
    const items: Faulty[] = [];
    for (const item of page.items as Omit<Faulty, "facts">[]) {
      const facts = await factsOf(ctx, item.slot.id);
      if (facts && facts.length > 0) items.push({ ...item, facts });
    }
    yield { ...page, items, data: { submissions: items } };
  }
}

export const list = define({
  name: "list",
  aliases: ["ls", "queue"],
  summary: "List submissions of all your games, by default those waiting for review",
  description:
    "--faulty leaves only those whose recordings look wrong, such as without sound or with a frozen picture, and says what it is. It looks at what " +
    "the list would show otherwise: pass --all for all of them.",
  operation: ["listSubmissions", "getSlotSignals"],
  query: "listSubmissions",
  flags: { faulty: flag.toggle("Only recordings that look wrong, and what that is") },
  list: true,
  examples: [
    "playtest review list",
    "playtest review list --faulty --all",
    "playtest review list --status accepted --all --csv",
    "playtest review list --jq '.submissions[].slot.id'",
  ],
  async run({ query, flags, range }, ctx) {
    const outcome = ctx.list("listSubmissions", { query }, range, queueView) as Extract<Outcome, { kind: "list" }>;
    return flags.faulty ? { ...outcome, pages: faultyOf(ctx, outcome.pages), view: faultyView } : outcome;
  },
});
