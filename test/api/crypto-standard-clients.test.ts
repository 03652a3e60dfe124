import { encodePaymentSignatureHeader } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig, x402Client } from "@x402/fetch";
import { expect, it, vi } from "vitest";
import { networks } from "../../src/contract/headers.ts";
import { asking, instructionsOf, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

const signTypedData = () => vi.fn(async () => `0x${"1b".repeat(65)}` as const);

async function openShop(server: TestServer) {
  const wallet = await openWallet(server);
  const game = `/games/${await createGame(wallet.owner)}/playtests`;
  const sign = signTypedData();
  const scheme = new ExactEvmScheme({ address: `0x${"ab".repeat(20)}`, signTypedData: sign });
  const client = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: networks.base as `eip155:${number}`, client: scheme }],
  });
  const paths = { "an order": game, "a top-up": "/billing/credit/x402" };
  const body = (what: keyof typeof paths) => (what === "an order" ? {} : { amountCents: 2000 });
  return {
    ...wallet,
    sign,
    post: (what: keyof typeof paths, headers: Record<string, string> = asking()) =>
      wallet.owner.post(paths[what], body(what), headers),
    pay: (what: keyof typeof paths) =>
      client(`${server.baseUrl}/api/v1${paths[what]}`, {
        method: "POST",
        body: JSON.stringify(body(what)),
        headers: { authorization: `Bearer ${wallet.owner.key}`, "content-type": "application/json", ...asking() },
      }),
    /** What such a client signs when it knows the instructions from elsewhere. */
    async signed(receiver: string) {
      const accepted = {
        ...{ scheme: "exact", network: networks.base as `eip155:${number}`, amount: "1000000", payTo: receiver },
        ...{
          asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          maxTimeoutSeconds: 60,
          extra: { name: "USD Coin", version: "2" },
        },
      };
      const payer = new x402Client().register(accepted.network, scheme);
      const required = { x402Version: 2, accepts: [accepted], resource: { url: server.baseUrl, description: "", mimeType: "" } };
      return encodePaymentSignatureHeader(await payer.createPaymentPayload(required));
    },
    payments: async (): Promise<{ id: string; status: string }[]> => (await wallet.owner.listPayments()).payments,
    orders: async (): Promise<{ status: string }[]> => (await wallet.owner.get(game)).body.data.playtests,
  };
}

onBothDatabases("a standard x402 client", (serve) => {
  it.each(["an order", "a top-up"] as const)("is asked for nothing that it would sign: %s", async (what) => {
    const shop = await openShop(await serve());
    const asked = await shop.post(what);
    expect([asked.status, asked.headers.get("payment-required"), "x402Version" in asked.body]).toEqual([402, null, false]);
    await expect(shop.pay(what)).rejects.toThrow("Failed to parse payment requirements");
    expect([shop.sign.mock.calls.length, await shop.credit()]).toEqual([0, 0]);
  });

  it.each([
    ["an order", "payment-signature"],
    ["an order", "x-payment"],
    ["a top-up", "payment-signature"],
    ["a top-up", "x-payment"],
  ] as const)("learns what to send instead of a signature: %s, %s", async (what, header) => {
    const shop = await openShop(await serve());
    const { receiver } = instructionsOf(await shop.post(what));
    const before = [await shop.payments(), await shop.orders()];
    const refused = await shop.post(what, { ...asking(), [header]: await shop.signed(receiver) });
    expect([shop.sign.mock.calls.length, refused.status, refused.body.error.code]).toEqual([1, 422, "VALIDATION_ERROR"]);
    const [detail] = refused.body.error.details;
    expect(detail.field.toLowerCase()).toBe(header);
    expect(detail.message).toContain("is a signed payment, which this server cannot settle. Nothing was ordered or charged.");
    expect(detail.message).toContain('X-Payment: {"txHash":"HASH","chain":"base","currency":"USDC"}');
    expect([await shop.payments(), await shop.orders(), await shop.credit()]).toEqual([...before, 0]);
  });

  it.each(["an order", "a top-up"] as const)("that repeats a request with its key gets the same quote: %s", async (what) => {
    const shop = await openShop(await serve());
    const headers = { ...asking(), "idempotency-key": "k" };
    const replies = [await shop.post(what, headers), await shop.post(what, headers), await shop.post(what, headers)];
    expect(replies.map(({ status }) => status)).toEqual([402, 402, 402]);
    const [first, ...rest] = replies.map((reply) => [reply.body.error.payment, instructionsOf(reply)]);
    expect(rest).toEqual([first, first]);
    expect((await shop.payments()).length).toBe(1);
    expect((await shop.orders()).length).toBe(what === "an order" ? 1 : 0);
  });
});
