import { expect, it } from "vitest";
import type { Facilitator, SignedTransfer } from "../../server/billing/crypto/facilitator.ts";
import type { EvmNetwork } from "../../server/config/schema.ts";
import { asking, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { callData, fileEvmNode, freshReceiver, selectors, wordsOf } from "../helpers/evm.ts";
import { accountOf, payingFetch, receiptIn, signFor, trustingClient } from "../helpers/x402.ts";

const { node, token, watching } = await fileEvmNode();
const account = accountOf("3");
await node.send({ to: token, data: callData(selectors.transfer, account.address, 10n ** 12n) });

/** Sends a signed payment to the node, as a relayer that pays the fee; the hash. */
async function execute({ payload }: SignedTransfer): Promise<string> {
  const { authorization, signature } = payload.payload as { authorization: Record<string, string>; signature: string };
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
  const words = wordsOf(from!, to!, value!, validAfter!, validBefore!, nonce!, `0x${v}`, `0x${r}`, `0x${s}`);
  return node.send({ to: token, data: `0x${selectors.transferWithAuthorization}${words}` });
}

onBothDatabases("signed payments on a real EVM node", (serve) => {
  async function open(settle: Facilitator["settle"], changes: Partial<EvmNetwork> = {}) {
    const from = Math.max(await node.now(), Date.now());
    const server = await serve(await watching({ receiver: freshReceiver(), confirmations: 1, ...changes }, { from }));
    server.deps.facilitator = { chains: ["base"], verify: async () => undefined, settle };
    return openWallet(server);
  }

  it("the contract takes what the client signed, and the server finds whose it is", async () => {
    const { server, owner, credit } = await open(async (transfer) => ({ is: "settled", transaction: await execute(transfer) }));
    const reply = await payingFetch(server, owner, trustingClient(account))("/billing/credit/x402", { amountCents: 2000 });
    expect([reply.status, receiptIn(reply).success, await credit()]).toEqual([200, true, 2000]);
  });

  it("is credited once, although the chain is reorganized and its log gets another index", async () => {
    const start = await node.rpc("evm_snapshot");
    let transaction = "";
    const { server, owner, credit } = await open(async (transfer) => {
      transaction = await execute(transfer);
      return { is: "settled", transaction };
    });
    await payingFetch(server, owner, trustingClient(account))("/billing/credit/x402", { amountCents: 2000 });
    expect(await credit()).toBe(2000);
    await node.remine(start, transaction, 1);
    for (let scans = 0; scans < 5; scans++) await server.advance(3_600_000);
    const deposits = await server.deps.store.read((q) => q.all("SELECT status FROM crypto_deposits"));
    expect([await credit(), deposits]).toEqual([2000, [{ status: "credited" }]]);
  });

  it("a scan finds what was sent without an answer, and credits it once", async () => {
    const { server, owner, credit } = await open(async (transfer) => {
      await execute(transfer);
      return { is: "unknown", cause: new Error("no answer") };
    });
    const ask = (headers = {}) => owner.post("/billing/credit/x402", { amountCents: 2000 }, { ...asking(), ...headers });
    const signature = await signFor(await ask(), account);
    expect([(await ask(signature)).status, await credit()]).toEqual([402, 0]);
    // In about one run of five, the first scan does not see the block of the transfer yet.
    for (let scans = 0; scans < 5 && (await credit()) === 0; scans++) await server.advance(60_000);
    expect(await credit()).toBe(2000);
    expect([(await ask(signature)).status, await credit()]).toEqual([200, 2000]);
  });

  it("the chain says what became of a signed payment: used, or never, once its final blocks reach beyond it", async () => {
    const sent: { payer: string; nonce: string }[] = [];
    const settle: Facilitator["settle"] = async (transfer) => {
      sent.push(transfer);
      if (sent.length === 1) await execute(transfer);
      return { is: "unknown", cause: new Error("no answer") };
    };
    const { server, owner } = await open(settle, { scanBlocks: 1 });
    for (const amountCents of [2000, 2100]) {
      const ask = (headers = {}) => owner.post("/billing/credit/x402", { amountCents }, { ...asking(), ...headers });
      await ask(await signFor(await ask(), account));
    }
    const chain = server.deps.chains.get("base")!;
    const now = await node.now();
    const stateOf = (at: number, until: number) =>
      chain.findNonce!({ payer: sent[at]!.payer, nonce: sent[at]!.nonce, since: now - 60_000, until });
    expect(await stateOf(0, now + 3_600_000)).toEqual({ is: "open" });
    await node.mine(3);
    expect(await stateOf(0, now)).toMatchObject({ is: "used", txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(await stateOf(1, now)).toEqual({ is: "unused" });
  });

  it("a transaction that the contract refused credits nothing", async () => {
    const { owner, credit } = await open(async (transfer) => {
      const { payload } = structuredClone(transfer.payload) as { payload: { authorization: { value: string } } };
      payload.authorization.value = "1";
      return { is: "settled", transaction: await execute({ ...transfer, payload: { payload } }) };
    });
    const ask = (headers = {}) => owner.post("/billing/credit/x402", { amountCents: 2000 }, { ...asking(), ...headers });
    const refused = await ask(await signFor(await ask(), account));
    expect([refused.status, refused.body.error.message.startsWith("It is not known whether"), await credit()]).toEqual([
      402,
      true,
      0,
    ]);
  });
});
