import type { Transfer } from "../../server/ledger/rules.ts";

/** Transfers as text: the event key and the asset, the postings, and whom it is about. */
export const written = (...transfers: readonly Transfer[]): string =>
  transfers
    .map(({ eventKey, asset, postings, ...refs }) => {
      const about = Object.entries(refs).map(([name, value]) => `${name} ${value}`);
      return [`${eventKey} ${asset}`, ...postings.map(({ account, amount }) => `${amount} ${account}`), about.sort().join(", ")];
    })
    .map((lines) => lines.filter((line) => line !== "").join("\n  "))
    .join("\n");
