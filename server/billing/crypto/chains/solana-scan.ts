import * as z from "zod";
import type { Scanned, ScanTask } from "./chain.ts";
import type { Rpc } from "./rpc.ts";

const signatures = z.array(
  z.object({ signature: z.string(), slot: z.number().int(), err: z.unknown(), blockTime: z.number().int().nullish() }),
);
const tokenAccounts = z.object({ value: z.array(z.object({ pubkey: z.string() })) });

type Signature = z.infer<typeof signatures>[number];

/** The number of slots before the end of the last scan that are scanned again, in case the node's data was incomplete: about a minute. */
const margin = 150;
const pageSize = 1000;

/**
 * Finds final transactions of the receiver and of its token accounts, because a token transfer may contain only the token account. The
 * node lists the newest first, so a scan reads back to the end of the last one.
 */
export async function scanSolana(
  rpc: Rpc,
  { receiver, usdc }: { receiver: string; usdc: string },
  { after, since }: ScanTask,
): Promise<Scanned> {
  const head = await rpc("getSlot", [{ commitment: "finalized" }], z.number().int());
  const isOld = ({ slot, blockTime }: Signature) =>
    after === null ? blockTime != null && blockTime * 1000 < since : slot < Number(after) - margin;
  const held = await rpc(
    "getTokenAccountsByOwner",
    [receiver, { mint: usdc }, { commitment: "finalized", encoding: "jsonParsed" }],
    tokenAccounts,
  );
  const found: Signature[] = [];
  for (const account of [receiver, ...held.value.map(({ pubkey }) => pubkey)]) found.push(...(await newer(rpc, account, isOld)));
  const moved = found.filter(({ err }) => err === null).sort((a, b) => a.slot - b.slot);
  return { hashes: [...new Set(moved.map(({ signature }) => signature))], position: String(head), behind: false };
}

async function newer(rpc: Rpc, account: string, isOld: (one: Signature) => boolean): Promise<Signature[]> {
  const found: Signature[] = [];
  for (let before: string | undefined; ; ) {
    const options = { commitment: "finalized", limit: pageSize, ...(before !== undefined && { before }) };
    const page = await rpc("getSignaturesForAddress", [account, options], signatures);
    const fresh = page.filter((one) => !isOld(one));
    found.push(...fresh);
    before = page.at(-1)?.signature;
    if (page.length < pageSize || fresh.length < page.length) return found;
  }
}
