import type { Config } from "../../../config/schema.ts";
import type { Store } from "../../../database/port.ts";
import type { Clock } from "../../../lib/clock.ts";
import { type ChainName, type Currency, type Pair, pairs } from "../rules.ts";
import type { Chain } from "./chain.ts";
import { createEvmChain } from "./evm.ts";
import { createRates } from "./rates.ts";
import { createSandboxChain, sandboxRates } from "./sandbox.ts";
import { createSolanaChain } from "./solana.ts";

export { type Chain, ChainDown, type Scanned, type SeenTransaction, type SeenTransfer } from "./chain.ts";

export interface Chains {
  /** The chains and currencies that this server accepts. */
  readonly pairs: readonly Pair[];
  get(name: ChainName): Chain | undefined;
  readonly all: readonly Chain[];
  /** The rate in cents per whole coin. Throws `ChainDown` when no price of the last minute is available. */
  rate(currency: Currency): Promise<number>;
}

export function createChains(options: { config: Config; store: Store; clock: Clock }): Chains {
  const { config, store, clock } = options;
  const all = config.sandbox
    ? (["base", "ethereum", "solana"] as const).map((name) => createSandboxChain(name, store, clock))
    : realChains(config);
  const rates = createRates(config.sandbox ? { ...config.crypto.rates, ...sandboxRates } : config.crypto.rates, clock);
  const get = (name: ChainName) => all.find((chain) => chain.name === name);
  return { all, get, rate: rates.of, pairs: pairs.filter(({ chain, currency }) => get(chain) && rates.has(currency)) };
}

/** The configured chains: those with both a node and a receiving address. */
function realChains({ crypto }: Config): Chain[] {
  const on: Chain[] = [];
  for (const name of ["base", "ethereum"] as const) {
    const { rpcUrl, receiver, ...rest } = crypto[name];
    if (rpcUrl !== null && receiver !== null)
      on.push(createEvmChain({ name, rpcUrl, receiver, ...rest, timeoutMs: crypto.timeoutMs }));
  }
  const { rpcUrl, receiver, usdc } = crypto.solana;
  if (rpcUrl !== null && receiver !== null) on.push(createSolanaChain({ rpcUrl, receiver, usdc, timeoutMs: crypto.timeoutMs }));
  return on;
}
