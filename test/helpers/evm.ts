import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import solc from "solc";
import { Agent, fetch } from "undici";
import { afterAll } from "vitest";
import type { Config, EvmNetwork } from "../../server/config/schema.ts";
import { freePort } from "./free-port.ts";
import { patience } from "./rpc-proxy.ts";
import { createTestClock } from "./server.ts";

export interface EvmNode {
  url: string;
  rpc<T = string>(method: string, ...params: unknown[]): Promise<T>;
  /** Unlocked accounts with coins. */
  accounts: string[];
  /** The address of a new contract of `contracts.sol`. */
  deploy(name: "Token" | "Collectible" | "Wallet"): Promise<string>;
  /** Sends a transaction from the first account; its hash, mined. */
  send(transaction: { to: string; value?: bigint; data?: string; gas?: string }): Promise<string>;
  mine(blocks: number): Promise<void>;
  /**
   * Reorganizes the chain: goes back to a snapshot and mines a transaction of the first account again, in a block in which `logs` logs of
   * others come first. Returns a new snapshot of the same place.
   */
  remine(snapshot: string, txHash: string, logs: number): Promise<string>;
  /** Time of the newest block, ms. */
  now(): Promise<number>;
  stop(): Promise<void>;
}

/** A node with a token, until the tests of the file have run, and the options of a server that watches both from now on. */
export async function fileEvmNode() {
  const node = await startEvmNode();
  afterAll(() => node.stop());
  const token = await node.deploy("Token");
  const watching = async (
    base: Partial<EvmNetwork> & Pick<EvmNetwork, "receiver">,
    { from, timeoutMs = patience() }: { from?: number; timeoutMs?: number } = {},
  ) => ({
    clock: createTestClock((from ?? (await node.now())) + 1000),
    config(config: Config) {
      config.sandbox = false;
      config.crypto.timeoutMs = timeoutMs;
      config.crypto.rates.ETH = 300_000;
      Object.assign(config.crypto.base, { rpcUrl: node.url, usdc: token, finality: "finalized" }, base);
    },
  });
  return { node, token, watching };
}

/** A real development node with Base's chain id on a free port. */
export async function startEvmNode(chainId = 8453): Promise<EvmNode> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-evm-"));
  const config = join(folder, "hardhat.config.cjs");
  writeFileSync(config, `module.exports = { networks: { hardhat: { chainId: ${chainId} } } };`);
  const port = await freePort();
  const program = join(createRequire(import.meta.url).resolve("hardhat/package.json"), "../internal/cli/bootstrap.js");
  const args = [program, "--config", config, "node", "--hostname", "127.0.0.1", "--port", String(port)];
  const env = { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: "true", DO_NOT_TRACK: "1" };
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, env, stdio: ["ignore", "pipe", "pipe"] });
  const url = `http://127.0.0.1:${port}`;
  const rpc = rpcTo(url);
  await listening(child, rpc);
  const accounts = await rpc<string[]>("eth_accounts");
  const from = accounts[0]!;
  const contracts = compile();

  async function send(transaction: { to?: string; value?: bigint; data?: string; gas?: string }): Promise<string> {
    const { value = 0n, ...rest } = transaction;
    try {
      return await rpc("eth_sendTransaction", { from, ...rest, value: `0x${value.toString(16)}` });
    } catch (error) {
      // It is mined all the same: the node only tells its sender that it failed.
      const txHash = (error as { data?: { txHash?: string } }).data?.txHash;
      if (txHash === undefined) throw error;
      return txHash;
    }
  }

  return {
    url,
    rpc,
    accounts,
    send,
    async deploy(name) {
      const hash = await send({ data: `0x${contracts[name]!}` });
      return (await rpc<{ contractAddress: string }>("eth_getTransactionReceipt", hash)).contractAddress;
    },
    mine: (blocks) => rpc("hardhat_mine", `0x${blocks.toString(16)}`),
    async remine(snapshot, txHash, logs) {
      const { to, input: data, ...sent } = await rpc<Record<string, string>>("eth_getTransactionByHash", txHash);
      const { value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } = sent;
      await rpc("evm_revert", snapshot);
      const next = await rpc("evm_snapshot");
      await rpc("evm_setAutomine", false);
      try {
        const first = { from: accounts[1], to, data: callData(selectors.approve, from, 1n), gas: "0x30d40" };
        const fees = { maxFeePerGas: "0x174876e800", maxPriorityFeePerGas: "0x12a05f200" };
        for (let index = 0; index < logs; index++) await rpc("eth_sendTransaction", { ...first, ...fees });
        const again = await rpc("eth_sendTransaction", { from, to, data, value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas });
        if (again !== txHash) throw new Error(`mined ${again} instead of ${txHash}`);
        await rpc("hardhat_mine", "0x1");
      } finally {
        await rpc("evm_setAutomine", true);
      }
      return next;
    },
    now: async () => Number((await rpc<{ timestamp: string }>("eth_getBlockByNumber", "latest", false)).timestamp) * 1000,
    async stop() {
      if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let receivers = 0;

/** An address nobody used before, in mixed case as one with a checksum, which it does not have. */
export const freshReceiver = () => `0x${"CaFeBabe".padStart(32, "0")}${(receivers++).toString(16).padStart(8, "0")}`;

/** Call data of `name(address,uint256…)` by its selector. */
export const callData = (selector: string, to: string, ...numbers: bigint[]) => `0x${selector}${wordsOf(to, ...numbers)}`;

/** Arguments of a contract's function, 32 bytes each: numbers, addresses and hexadecimal digits. */
export const wordsOf = (...values: (string | bigint)[]): string =>
  values.map((value) => BigInt(value).toString(16).padStart(64, "0")).join("");

export const selectors = { transfer: "a9059cbb", approve: "095ea7b3", transferWithAuthorization: "e3ee160e" } as const;

/** A connection for each request: the node closes idle ones, and a request on its way then fails on a busy machine. */
const dispatcher = new Agent({ pipelining: 0 });

function rpcTo(url: string): EvmNode["rpc"] {
  return async <T>(method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const reply = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body, dispatcher });
    const { result, error } = (await reply.json()) as { result: T; error?: { message: string; data?: unknown } };
    if (error) throw Object.assign(new Error(`${method}: ${error.message}`), { data: error.data });
    return result;
  };
}

async function listening(child: ChildProcess, rpc: EvmNode["rpc"]): Promise<void> {
  let said = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (text) => (said += text));
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`the development node ended: ${said}`);
    try {
      return void (await rpc("eth_chainId"));
    } catch {
      await pause(50);
    }
  }
  throw new Error(`the development node did not start: ${said}`);
}

function compile(): Record<string, string> {
  const content = readFileSync(join(import.meta.dirname, "contracts.sol"), "utf8");
  const input = {
    language: "Solidity",
    sources: { "contracts.sol": { content } },
    settings: { outputSelection: { "*": { "*": ["evm.bytecode.object"] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    errors?: { severity: string; formattedMessage: string }[];
    contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
  };
  const wrong = output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const compiled = Object.entries(output.contracts["contracts.sol"]!);
  return Object.fromEntries(compiled.map(([name, { evm }]) => [name, evm.bytecode.object]));
}
