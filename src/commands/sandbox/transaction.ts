import { define } from "../../cli/define.ts";

export const transaction = define({
  name: "transaction",
  summary: "Make a transaction on the sandbox chain and print its hash",
  description: "Pay with the hash: `playtest billing credit x402 --tx HASH` or `playtest playtests pay --method x402 --tx HASH`.",
  operation: "createTransaction",
  body: "createTransaction",
  examples: ["playtest sandbox transaction --chain base --currency USDC --to 0x5a1c… --amount 20000000"],
  async run({ body }, ctx) {
    const data = await ctx.api().createTransaction({ body });
    return ctx.text(data.txHash, data);
  },
});
