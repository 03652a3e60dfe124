import * as z from "zod";
import { sameAddress } from "../rules.ts";
import { evmAddress } from "./addresses.ts";
import { type Chain, ChainDown, type SeenTransaction, type SeenTransfer } from "./chain.ts";
import { findNonceOnEvm, scanEvm } from "./evm-scan.ts";
import { authorizationTopic, type EvmOptions, hex, quantity, transferTopic } from "./evm-shapes.ts";
import { createRpc, type Rpc } from "./rpc.ts";

const transaction = z.object({ from: hex, to: hex.nullable(), value: quantity, blockHash: hex.nullable() }).nullable();
const log = z.object({ address: hex, topics: z.array(hex), data: hex, logIndex: quantity, removed: z.boolean().optional() });
const receipt = z.object({ status: quantity, blockHash: hex, blockNumber: quantity, logs: z.array(log) }).nullable();
const block = z.object({ number: quantity, hash: hex, timestamp: quantity }).nullable();

type Log = z.infer<typeof log>;
type Receipt = NonNullable<z.infer<typeof receipt>>;

/** The index of a transfer of the native coin, which has no log. No log has this index. */
const nativeIndex = -1;

/** An Ethereum-compatible chain by JSON-RPC. Native coins are found only if the transaction itself sends them, not if a contract does. */
export function createEvmChain(options: EvmOptions): Chain {
  const rpc = createRpc(options.rpcUrl, options.timeoutMs);
  let checked: Promise<void> | undefined;

  function ready(): Promise<void> {
    checked ??= checkChainId(rpc, options).catch((error) => {
      checked = undefined;
      throw error;
    });
    return checked;
  }

  return {
    name: options.name,
    receiver: options.receiver,
    usdc: options.usdc,
    token: { name: options.usdcName, version: options.usdcVersion, chainId: options.chainId, contract: options.usdc },
    ready,
    normalize: (txHash) => (/^0x[0-9a-f]{64}$/i.test(txHash) ? txHash.toLowerCase() : undefined),
    addressOf: evmAddress,
    async find(txHash) {
      await ready();
      const sent = await rpc("eth_getTransactionByHash", [txHash], transaction);
      if (!sent) return undefined;
      const mined = await rpc("eth_getTransactionReceipt", [txHash], receipt);
      const waiting: SeenTransaction = { status: "success", final: false, at: 0, transfers: [] };
      if (!mined) return waiting;
      const inBlock = await rpc("eth_getBlockByNumber", [`0x${mined.blockNumber.toString(16)}`, false], block);
      // The block of the transaction was replaced in a reorganization. The transaction may be included in another block later.
      if (inBlock?.hash !== mined.blockHash) return waiting;
      const transfers = [...tokenTransfers(mined, options), ...nativeTransfers(sent, options)];
      const at = Number(inBlock.timestamp) * 1000;
      const status = mined.status === 1n ? "success" : "reverted";
      return { status, final: await isFinal(rpc, mined.blockNumber, options), at, transfers };
    },
    async findNonce(signed) {
      await ready();
      return findNonceOnEvm(rpc, options, signed);
    },
    async scan(task) {
      await ready();
      return scanEvm(rpc, options, task);
    },
  };
}

async function checkChainId(rpc: Rpc, { name, chainId }: EvmOptions): Promise<void> {
  const actual = await rpc("eth_chainId", [], quantity);
  if (actual !== BigInt(chainId)) throw new ChainDown(`The node for ${name} serves chain ${actual}, not ${chainId}.`);
}

async function isFinal(rpc: Rpc, height: bigint, { finality, confirmations }: EvmOptions): Promise<boolean> {
  const head = await rpc("eth_getBlockByNumber", [confirmations === null ? finality : "latest", false], block);
  return head !== null && head.number - height + 1n >= BigInt(confirmations ?? 1);
}

function tokenTransfers(mined: Receipt, { usdc, receiver }: EvmOptions): SeenTransfer[] {
  const ofToken = mined.logs.filter((entry) => sameAddress(entry.address, usdc));
  const moved = ofToken.filter((entry) => isTransferTo(entry, receiver));
  return moved.map(({ logIndex, data, topics }) => ({
    // The position in the block, so it is another one when the transaction is mined again.
    index: Number(logIndex),
    currency: "USDC",
    to: receiver,
    amount: BigInt(data),
    // The holder of the tokens, who need not be the sender of the transaction: an approved spender or a relayer may have sent it.
    from: `0x${topics[1]!.slice(-40)}`.toLowerCase(),
    nonce: nonceOf(ofToken, logIndex, topics[1]!),
  }));
}

/** The contract logs that a nonce was used right before it logs the transfer that was signed with it. */
function nonceOf(logs: readonly Log[], transferIndex: bigint, holder: string): string | null {
  const before = logs.find(({ logIndex }) => logIndex === transferIndex - 1n);
  const [topic, authorizer, nonce] = before?.topics ?? [];
  if (topic?.toLowerCase() !== authorizationTopic || authorizer?.toLowerCase() !== holder.toLowerCase()) return null;
  return nonce?.toLowerCase() ?? null;
}

const isTransferTo = ({ topics, data, removed }: Log, receiver: string) =>
  removed !== true &&
  topics.length === 3 &&
  topics[0]!.toLowerCase() === transferTopic &&
  sameAddress(`0x${topics[2]!.slice(-40)}`, receiver) &&
  data.length === 66;

function nativeTransfers(sent: { from: string; to: string | null; value: bigint }, { receiver }: EvmOptions): SeenTransfer[] {
  if (sent.to === null || !sameAddress(sent.to, receiver) || sent.value === 0n) return [];
  return [{ index: nativeIndex, currency: "ETH", to: receiver, amount: sent.value, from: sent.from.toLowerCase(), nonce: null }];
}
