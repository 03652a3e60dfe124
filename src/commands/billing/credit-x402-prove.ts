import type { Data } from "../../api/client.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { lines, usd } from "../../io/text.ts";

type Message = Data<"getProofMessage">["proof"];

const ways: Record<Message["scheme"], string> = {
  eip191:
    "Sign it as text (personal_sign): in your wallet, with the Sign Message button on https://etherscan.io/verifiedSignatures, or with `cast wallet sign`.",
  ed25519: "Sign it as text: in a wallet that signs messages, or with `solana sign-offchain-message`.",
};

export const creditX402Prove = define({
  name: "credit x402 prove",
  summary: "Prove that you sent a crypto deposit that was not credited",
  description:
    "For a deposit that was late, of another amount, or claimed by another account. Prints a message to sign with the address that sent it: " +
    "signing moves no money. On a terminal, asks for the signature; otherwise run the command again with --signature. The deposit is then " +
    "credited to you. Deposits from an exchange or a contract cannot be signed for: ask the operator of the server.",
  operation: ["proveDeposit", "getProofMessage"],
  args: { payment: arg.id("Payment id, from the payment instructions", "listPayments", "status") },
  flags: {
    tx: { ...flag.text("Hash of the transaction that you sent", { value: "HASH" }), required: true } as const,
    chain: flag.choice(["base", "ethereum", "solana"], "Blockchain of the transaction (default: the payment's)"),
    signature: flag.text("Signature of the message", { value: "SIGNATURE" }),
  },
  exits: [7, 8],
  examples: [
    "playtest billing credit x402 prove 3aa0119c --tx 0x5a1c…",
    "playtest billing credit x402 prove 3aa0119c --tx 0x5a1c… --signature 0x91f0…",
  ],
  async run({ args, flags }, ctx) {
    const params = { id: args.payment };
    const where = { txHash: flags.tx ?? "", ...(flags.chain && { chain: flags.chain }) };
    if (flags.signature !== undefined) return submit(ctx, params, { ...where, signature: flags.signature });
    const { proof } = await ctx.api().getProofMessage({ params, query: where });
    ctx.out.note(`Sign the message below, unchanged, with ${proof.addresses.join(" or ")}. ${ways[proof.scheme]}`);
    const shown = ctx.verbatim(proof.message, { proof });
    const chain = flags.chain ? ` --chain ${flags.chain}` : "";
    if (!ctx.prompt.possible) {
      ctx.out.note(
        `Then run: playtest billing credit x402 prove ${args.payment} --tx ${proof.txHash}${chain} --signature SIGNATURE`,
      );
      return shown;
    }
    ctx.io.err(`\n${lines(proof.message)}\n\n`);
    const signature = await ctx.prompt.text("Signature:", "Pass --signature.");
    return submit(ctx, params, { ...where, signature: signature.trim() });
  },
});

async function submit(ctx: Context, params: { id: string }, body: { txHash: string; signature: string }) {
  const data = await ctx.api().proveDeposit({ params, body });
  return ctx.text(`Credited ${usd(data.creditedCents)}. ${data.message}`, { result: data });
}
