/** What a wallet needs to pay a quote. */
export interface Instructions {
  chain: string;
  currency: string;
  cryptoAmount: string;
  receiver: string;
  /** CAIP-2 name of the chain. */
  network: string | undefined;
  /** In the smallest unit of the currency. */
  atomicAmount: string | undefined;
  /** Contract or mint of a token; undefined for the native coin of the chain. */
  asset: string | undefined;
}

const address = /^[1-9A-HJ-NP-Za-km-z]{32,44}$|^0x[0-9a-fA-F]{40}$/;

const decimals: Readonly<Record<string, number>> = { USDC: 6, ETH: 18 };

/** Whether both amounts are the same: a link must not ask for more than what is shown beside it. */
function sameAmount(currency: string, cryptoAmount: string, atomicAmount: string): boolean {
  const [, whole = "", rest = ""] = /^(\d+)(?:\.(\d+))?$/.exec(cryptoAmount) ?? [];
  const places = decimals[currency];
  if (whole === "" || places === undefined || rest.replace(/0+$/, "").length > places) return false;
  return BigInt(whole + rest.slice(0, places).padEnd(places, "0")) === BigInt(atomicAmount);
}

/**
 * A link that opens a wallet with the payment filled in: EIP-681, or Solana Pay. Undefined if the instructions lack what it takes: a link
 * without the token would send coins of the chain, and one without the amount whatever the payer types.
 */
export function paymentUri(instructions: Instructions): string | undefined {
  const { currency, cryptoAmount, receiver, network, atomicAmount, asset } = instructions;
  if (network === undefined || !address.test(receiver)) return undefined;
  const isToken = currency === "USDC";
  if (isToken && (asset === undefined || !address.test(asset))) return undefined;
  if (network.startsWith("solana:")) {
    if (!/^\d+(\.\d+)?$/.test(cryptoAmount) || (!isToken && currency !== "SOL")) return undefined;
    return `solana:${receiver}?amount=${cryptoAmount}${isToken ? `&spl-token=${asset}` : ""}`;
  }
  const chainId = /^eip155:(\d+)$/.exec(network)?.[1];
  if (chainId === undefined || atomicAmount === undefined || !/^[1-9]\d*$/.test(atomicAmount)) return undefined;
  if (!sameAmount(currency, cryptoAmount, atomicAmount)) return undefined;
  if (isToken) return `ethereum:${asset}@${chainId}/transfer?address=${receiver}&uint256=${atomicAmount}`;
  return currency === "ETH" ? `ethereum:${receiver}@${chainId}?value=${atomicAmount}` : undefined;
}
