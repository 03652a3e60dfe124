import { expect, it } from "vitest";
import { asking, instructionsOf, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import type { TestServer } from "../helpers/server.ts";

const minute = 60_000;
const hour = 60 * minute;

/** A transfer that somebody makes without being asked for this amount; its hash. */
async function transfer(
  server: TestServer,
  body: { chain: string; currency: string; to: string; amount: string; from?: string },
) {
  return (await server.request("POST", "/sandbox/chain/transactions", { body })).body.data.txHash as string;
}

onBothDatabases("a deposit of somebody else", (serve) => {
  it("is not credited to an owner with a small quote who names a stranger's large transfer", async () => {
    const thief = await openWallet(await serve());
    const asked = await thief.ask(500);
    const { chain, currency, receiver: to } = asked.body.error.payment;
    const txHash = await transfer(thief.server, { chain, currency, to, amount: "1000000000000" });
    const named = await thief.prove(txHash);
    expect([named.status, await thief.credit()]).toEqual([409, 0]);
    await thief.server.advance(3 * hour);
    expect([(await thief.prove(txHash)).status, await thief.credit()]).toEqual([409, 0]);
  });

  it.each([
    ["76 minutes after its quote", 76 * minute],
    ["hours after its quote", 15 * hour],
  ])("is not credited to an account that names it first: sent %s", async (_, after) => {
    const payer = await openWallet(await serve());
    const thief = await openWallet(payer.server);
    const asked = await payer.ask(50_000);
    await payer.server.advance(after);
    await thief.ask(49_950);
    const { chain, currency, receiver: to } = asked.body.error.payment;
    const txHash = await transfer(payer.server, { chain, currency, to, amount: "500000000" });
    expect([(await thief.prove(txHash)).status, await thief.credit()]).toEqual([409, 0]);
  });

  it("is not worth the locked rate beyond the quoted amount", async () => {
    const payer = await openWallet(await serve());
    const asked = await payer.ask(500, "ethereum", "ETH");
    payer.server.deps.chains.rate = async () => 150_000;
    const txHash = await payer.send(asked, { amount: String(100n * 10n ** 18n) });
    await payer.server.advance(14 * minute);
    expect([(await payer.prove(txHash, "ethereum", "ETH")).status, await payer.credit()]).toEqual([409, 0]);
    const within = BigInt(instructionsOf(asked).maxAmountRequired);
    const beyond = 100n * 10n ** 18n - within;
    const kept = Number((within * 300_000n + beyond * 150_000n) / 10n ** 18n);
    expect(await payer.suspense(asked.body.error.payment.id)).toBe(kept);
  });

  it.each([
    ["a cent more", 10_000, 200],
    ["one percent more", 200_000, 200],
    ["more than one percent", 210_000, 409],
  ])("needs no proof up to one percent more: %s", async (_, by, status) => {
    const payer = await openWallet(await serve());
    const asked = await payer.ask(2000);
    const named = await payer.prove(await payer.send(asked, { by }));
    expect([named.status, await payer.credit()]).toEqual([status, status === 200 ? 2000 + by / 10_000 : 0]);
  });

  it.each([
    ["one dollar more", 1_000_000, 200],
    ["more than a dollar", 1_010_000, 409],
  ])("needs no proof up to a dollar more: %s", async (_, by, status) => {
    const payer = await openWallet(await serve());
    const asked = await payer.ask(1_000_000);
    expect((await payer.prove(await payer.send(asked, { by }))).status).toBe(status);
  });

  it("is not paid for an order by a transfer of a stranger", async () => {
    const thief = await openWallet(await serve());
    const game = (await thief.owner.createGame({ body: { name: "G", buildUrl: "https://example.com/b.zip" } })).game.id;
    const asked = await thief.owner.post(`/games/${game}/playtests`, {}, asking());
    const { chain, currency, receiver: to } = asked.body.error.payment;
    const txHash = await transfer(thief.server, { chain, currency, to, amount: "100000000" });
    const header = { "x-payment": JSON.stringify({ txHash, chain, currency }) };
    const named = await thief.owner.post(`/games/${game}/playtests`, {}, header);
    const playtest = instructionsOf(asked).extra.playtestRequestId;
    const later = await thief.owner.post(`/playtests/${playtest}/pay`, { method: "x402" }, header);
    expect([named.status, later.status, await thief.credit()]).toEqual([409, 409, 0]);
  });
});
