/** What a wallet needs to pay a quote. */
export interface Instructions {
  chain: string;
  currency: string;
  cryptoAmount: string;
  receiver: string;
  network: string;
  /** In the smallest unit of the currency. */
  atomicAmount: string;
  /** Contract or mint of a token; undefined for the native coin of the chain. */
  asset: string | undefined;
}

/** A link that opens a wallet with the payment filled in: EIP-681, or Solana Pay. */
export function paymentUri({ currency, cryptoAmount, receiver, network, atomicAmount, asset }: Instructions): string {
  const token = currency === "USDC" ? asset : undefined;
  if (network.startsWith("solana:")) return `solana:${receiver}?amount=${cryptoAmount}${token ? `&spl-token=${token}` : ""}`;
  const chainId = network.split(":")[1] ?? "1";
  if (token) return `ethereum:${token}@${chainId}/transfer?address=${receiver}&uint256=${atomicAmount}`;
  return `ethereum:${receiver}@${chainId}?value=${atomicAmount}`;
}
