import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { type LoopbackParts, startLoopback } from "../../server/web/studio/loopback.ts";

it("a page of Studio that fails: says nothing of the cause, which the terminal gets", async () => {
  const reported: unknown[] = [];
  const parts: Partial<LoopbackParts> = {
    instance: "example.com",
    site: { baseUrl: "https://example.com", payments: true },
    account: { id: "1", displayName: "Olga" },
    call: () => Promise.reject(new TypeError("the cause")),
    offers: async () => true,
    keepsMoments: () => false,
    explain: () => undefined,
    cli: (command) => command,
    randomBytes,
    now: () => Date.now(),
    report: (error) => void reported.push(error),
  };
  const { url, close } = await startLoopback(parts as LoopbackParts, 0);
  const entered = await fetch(url, { redirect: "manual" });
  const page = new URL(entered.headers.get("location")!, url);
  const reply = await fetch(page, { headers: { cookie: entered.headers.get("set-cookie")!.split(";")[0]! } });
  const text = await reply.text();
  await close();
  expect([
    reply.status,
    text.includes("Something unexpected happened. The terminal says more."),
    text.includes("the cause"),
  ]).toEqual([500, true, false]);
  expect(reported.map(String)).toEqual(["TypeError: the cause"]);
});
