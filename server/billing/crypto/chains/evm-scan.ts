import * as z from "zod";
import { ChainDown, type NonceState, type Scanned, type ScanTask, type SignedNonce } from "./chain.ts";
import { authorizationTopic, type EvmOptions, hex, quantity, transferTopic } from "./evm-shapes.ts";
import type { Rpc } from "./rpc.ts";

const header = z.object({ number: quantity, timestamp: quantity }).nullable();
const logs = z.array(z.object({ transactionHash: hex, blockNumber: quantity, logIndex: quantity }));
const sent = z.object({ hash: hex, to: hex.nullable(), value: quantity });
const fullBlock = z.object({ transactions: z.array(sent) }).nullable();

/**
 * The most blocks before the end of the last scan that are scanned again, in case the node's data was incomplete. They are at most half of
 * a range, so that each scan gets ahead.
 */
const mostAgain = 20n;
const blocksAtOnce = 10;

/**
 * Scans one range of final blocks: token transfers by their events, and native coins by reading each block, because their transfers
 * have no events. Throws `ChainDown` if the node is unavailable.
 */
export async function scanEvm(rpc: Rpc, options: EvmOptions, { after, since, nativeSince }: ScanTask): Promise<Scanned> {
  const { receiver } = options;
  const scanBlocks = BigInt(options.scanBlocks);
  const again = least(mostAgain, scanBlocks / 2n);
  const head = await finalHead(rpc, options);
  if (head < 0n) return { hashes: [], position: after ?? "-1", behind: false };
  const start = after === null ? await firstAt(rpc, since, 0n, head) : least(BigInt(after) + 1n, head + 1n) - again;
  const from = start < 0n ? 0n : start;
  const to = least(head, from + scanBlocks - 1n);
  const tokens = await tokenHashes(rpc, options, from, to);
  const coins = nativeSince === null ? [] : await coinHashes(rpc, receiver, await firstAt(rpc, nativeSince, from, to), to);
  return { hashes: [...new Set([...tokens, ...coins])], position: String(to), behind: to < head };
}

/** Looks for the transaction that used a signed payment. Throws `ChainDown` if the node is unavailable. */
export async function findNonceOnEvm(rpc: Rpc, options: EvmOptions, signed: SignedNonce): Promise<NonceState> {
  const { payer, nonce, since, until } = signed;
  const head = await finalHead(rpc, options);
  if (head < 0n) return { is: "open" };
  const last = known(await rpc("eth_getBlockByNumber", [text(head), false], header), head);
  if (Number(last.timestamp) * 1000 <= until) return { is: "open" };
  const from = await firstAt(rpc, since, 0n, head);
  const to = await firstAt(rpc, until, from, head);
  const topics = [authorizationTopic, `0x${payer.slice(2).padStart(64, "0")}`, nonce];
  const [used] = await readLogs(rpc, options, topics, { from, to: least(to, head) });
  return used ? { is: "used", txHash: used.transactionHash.toLowerCase() } : { is: "unused" };
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const text = (block: bigint) => `0x${block.toString(16)}`;

/** The number of the newest final block. Negative if there is none yet. */
async function finalHead(rpc: Rpc, { finality, confirmations }: EvmOptions): Promise<bigint> {
  const head = await rpc("eth_getBlockByNumber", [confirmations === null ? finality : "latest", false], header);
  return head === null ? -1n : head.number - BigInt((confirmations ?? 1) - 1);
}

/** The first block in `low..high` with a time of `ms` or later; `high + 1` if there is none. */
async function firstAt(rpc: Rpc, ms: number, low: bigint, high: bigint): Promise<bigint> {
  let [first, last] = [low, high + 1n];
  while (first < last) {
    const middle = (first + last) / 2n;
    const block = known(await rpc("eth_getBlockByNumber", [text(middle), false], header), middle);
    if (Number(block.timestamp) * 1000 < ms) first = middle + 1n;
    else last = middle;
  }
  return first;
}

/** The token's logs of the blocks `from..to`, asked for in ranges of at most `scanBlocks`, because nodes refuse longer ones. */
async function readLogs(
  rpc: Rpc,
  { usdc, scanBlocks }: EvmOptions,
  topics: readonly (string | null)[],
  { from, to }: { from: bigint; to: bigint },
): Promise<z.infer<typeof logs>> {
  const found: z.infer<typeof logs> = [];
  for (let first = from; first <= to; first += BigInt(scanBlocks)) {
    const last = least(to, first + BigInt(scanBlocks) - 1n);
    found.push(...(await rpc("eth_getLogs", [{ fromBlock: text(first), toBlock: text(last), address: usdc, topics }], logs)));
  }
  return found;
}

async function tokenHashes(rpc: Rpc, options: EvmOptions, from: bigint, to: bigint): Promise<string[]> {
  const topics = [transferTopic, null, `0x${options.receiver.slice(2).toLowerCase().padStart(64, "0")}`];
  const found = await readLogs(rpc, options, topics, { from, to });
  return found.map(({ transactionHash }) => transactionHash.toLowerCase());
}

async function coinHashes(rpc: Rpc, receiver: string, from: bigint, to: bigint): Promise<string[]> {
  const hashes: string[] = [];
  for (let first = from; first <= to; first += BigInt(blocksAtOnce)) {
    const count = Number(least(BigInt(blocksAtOnce), to - first + 1n));
    const blocks = await Promise.all(Array.from({ length: count }, (_, index) => readBlock(rpc, first + BigInt(index))));
    for (const moved of blocks.flat())
      if (moved.to?.toLowerCase() === receiver.toLowerCase() && moved.value > 0n) hashes.push(moved.hash.toLowerCase());
  }
  return hashes;
}

const readBlock = async (rpc: Rpc, number: bigint) =>
  known(await rpc("eth_getBlockByNumber", [text(number), true], fullBlock), number).transactions;

function known<T>(block: T | null, number: bigint): T {
  if (block === null) throw new ChainDown(`The node does not know block ${number}, although it knows later blocks.`);
  return block;
}
