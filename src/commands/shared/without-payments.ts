import type { Command, Context } from "../../cli/define.ts";

/** Says, after a reply of the server, that it runs without payments, if it does. */
export function noteWithoutPayments(ctx: Context): void {
  if (ctx.withoutPayments()) ctx.out.note("This server runs without payments. New playtests cost and earn nothing.");
}

/** A command about money that says so where the server runs without payments. */
export const aboutMoney = (command: Command): Command => ({
  ...command,
  async run(input, ctx) {
    const outcome = await command.run(input, ctx);
    noteWithoutPayments(ctx);
    return outcome;
  },
});
