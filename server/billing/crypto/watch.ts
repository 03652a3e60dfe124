import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { ChainName } from "./rules.ts";

/** Schedules a scan of a chain for deposits that were not submitted, at `runAt` (ms). A scan that is due sooner stays as it is. */
export const scheduleScan = (tx: Tx, chain: ChainName, runAt: number) =>
  tx.schedule({ kind: "scan-deposits", key: chain, payload: { chain }, runAt });

/** Starts scanning all configured chains, even when there are no open quotes. */
export const watchChains = (deps: Deps) =>
  deps.store.write(async (tx) => {
    for (const { name } of deps.chains.all) await scheduleScan(tx, name, tx.now);
  });
