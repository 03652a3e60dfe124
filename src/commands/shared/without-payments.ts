import type { Command, Context, Outcome } from "../../cli/define.ts";

/** Says, after a reply of the server, that it runs without payments, if it does. */
export function noteWithoutPayments(ctx: Context): void {
  if (ctx.withoutPayments()) ctx.out.note("This server runs without payments. New playtests cost and earn nothing.");
}

type Pages = Extract<Outcome, { kind: "list" }>["pages"];

/** A list is fetched while it is printed, so only its first page tells. */
async function* noted(ctx: Context, pages: Pages) {
  let first = true;
  for await (const page of pages) {
    if (first) noteWithoutPayments(ctx);
    first = false;
    yield page;
  }
}

/** A command about money that says so where the server runs without payments. */
export const aboutMoney = (command: Command): Command => ({
  ...command,
  async run(input, ctx) {
    const outcome = await command.run(input, ctx);
    if (outcome?.kind === "list") return { ...outcome, pages: noted(ctx, outcome.pages) };
    noteWithoutPayments(ctx);
    return outcome;
  },
});
