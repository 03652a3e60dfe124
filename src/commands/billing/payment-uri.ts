/** What a wallet needs to pay a quote. */
export interface Instructions {
  chain: string;
  currency: string;
  cryptoAmount: string;
  receiver: string;
  network: string;
  /** In smallest units. */
  atomicAmount: string;
  /** Contract or mint of a token; none for the chain's own coin. */
  asset: string | undefined;
}

/** The address a wallet opens with everything filled in: EIP-681, or Solana Pay. */
export function paymentUri({ currency, cryptoAmount, receiver, network, atomicAmount, asset }: Instructions): string {
  const token = currency === "USDC" ? asset : undefined;
  if (network.startsWith("solana:")) return `solana:${receiver}?amount=${cryptoAmount}${token ? `&spl-token=${token}` : ""}`;
  const chainId = network.split(":")[1] ?? "1";
  if (token) return `ethereum:${token}@${chainId}/transfer?address=${receiver}&uint256=${atomicAmount}`;
  return `ethereum:${receiver}@${chainId}?value=${atomicAmount}`;
}
