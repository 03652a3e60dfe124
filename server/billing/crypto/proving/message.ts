import type { ChainName } from "../rules.ts";

/**
 * The message that the holder of a sending address signs. It contains this server, the payment (which belongs to one account) and the
 * transaction, so that the signature cannot be used on another server, by another account, or for another deposit.
 */
export const proofMessage = (about: { instance: string; paymentId: string; chain: ChainName; txHash: string }): string =>
  [
    "I sent the crypto deposit below. Credit it to the playtest account of the payment below.",
    "Signing this message moves no money.",
    "",
    `Instance: ${about.instance}`,
    `Payment: ${about.paymentId}`,
    `Chain: ${about.chain}`,
    `Transaction: ${about.txHash}`,
  ].join("\n");
