import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { createGame, giveCredit, registerOwner } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

/** Hints about paying name what the server takes: a card, crypto, or only what its operator grants. */

const fixture = eachOwnerFixture(3_000);
type Pairs = { chain: string; currency: string }[];

/** What the server takes from now on. */
function take(cards: boolean, pairs: Pairs) {
  const { deps } = fixture.server;
  Object.assign(deps, { cards: cards ? deps.cards : null, chains: { ...deps.chains, pairs } });
}
const usdc = [{ chain: "base", currency: "USDC" }];
const sol = [{ chain: "solana", currency: "SOL" }];
const unwrapped = (text: string) => text.replace(/\s+/g, " ");

const servers: [what: string, cards: boolean, pairs: Pairs, methods: string, command: string, has: RegExp, hasNot: RegExp][] = [
  ["cards and crypto", true, usdc, "credit|hours|card|x402", "billing credit add --amount 50", /credit add/, /admin grant/],
  ["cards", true, [], "credit|hours|card", "billing credit add --amount 50", /credit add/, /x402|admin grant/],
  [
    "crypto",
    false,
    usdc,
    "credit|hours|x402",
    "billing credit x402 --amount 50",
    /credit x402 --amount CREDIT`.*admin grant/,
    /credit add/,
  ],
  [
    "Solana",
    false,
    sol,
    "credit|hours|x402",
    "billing credit x402 --amount 50 --chain solana --currency SOL",
    /--chain solana --currency SOL.*admin grant/,
    /credit add/,
  ],
  [
    "neither",
    false,
    [],
    "credit|hours",
    "billing balance",
    /an invoice[:.] once you have paid it, they run `playtest admin grant/i,
    /credit add|x402/,
  ],
];

/** With the dollars that are named. */
const saying = (has: RegExp, dollars: number) => new RegExp(has.source.replace("CREDIT", String(dollars)), has.flags);

describe.each(servers)("a server that takes %s", (_, cards, pairs, methods, command, has, hasNot) => {
  it("an unpaid order names how it can be paid", async () => {
    take(cards, pairs);
    const owner = await registerOwner(fixture.server);
    const game = await createGame(owner, { buildUrl: `${fixture.server.baseUrl}/build.zip` });
    const { code, stderr } = await fixture.run(`order ${game} --yes --allow-pending`, { key: owner.key });
    const [, named] = /--method ([\w|]+)/.exec(stderr)!;
    expect([code, named]).toEqual([0, methods]);
    if (!cards) expect(unwrapped(stderr)).toMatch(saying(has, 20));
    expect(unwrapped(stderr).replace(`--method ${methods}`, "")).not.toMatch(hasNot);
  });

  it("plans are sold with cards only", async () => {
    take(cards, pairs);
    const says = "This server does not sell subscriptions: no card processor is configured.";
    expect((await fixture.run("billing plans")).stderr.includes(says)).toBe(!cards);
    const { status } = await fixture.owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" });
    expect(status).toBe(cards ? 200 : 503);
  });

  it("bulk names how to add credit when the funds run out", async () => {
    take(cards, pairs);
    const cwd = testFolder();
    writeFileSync(join(cwd, "orders.csv"), `game,quantity\n${fixture.gameId},9\n`);
    const { code, stderr } = await fixture.run("bulk orders.csv --yes", { cwd });
    expect([code, unwrapped(stderr)]).toEqual([7, expect.stringMatching(saying(has, 150))]);
    expect(unwrapped(stderr)).not.toMatch(hasNot);
  });

  it("status names the command that adds credit", async () => {
    take(cards, pairs);
    await fixture.order();
    const { stderr } = await fixture.run("status");
    const text = cards || pairs.length > 0 ? "" : ", and only this server's operator adds credit";
    expect(stderr).toContain(`Your credit is low ($10.00)${text}:\n  playtest ${command}\n`);
  });

  it("the email about low credit leads to the page of the credit, which names it", async () => {
    take(cards, pairs);
    await fixture.order();
    await fixture.server.advance(60_000);
    const mail = fixture.server.mails.find(({ subject }) => subject.startsWith("Your credit is"))!;
    expect(unwrapped(mail.text)).toContain(`Add credit: ${fixture.server.baseUrl}/studio/billing`);
    expect(mail.text).not.toMatch(/playtest (billing|admin)/);
  });
});

describe("an order that the account cannot pay names what makes it work:", () => {
  const short: [what: string, flags: string, cents: number, hint: string][] = [
    [
      "more than usual is missing",
      "--quantity 10",
      5_000,
      'they run `playtest admin grant EMAIL --credit 150 --note "Invoice 12"` with your email address.',
    ],
    [
      "no credit at all",
      "--quantity 2",
      0,
      '`playtest admin grant EMAIL --credit 40 --note "Invoice 12"` with your email address. Or leave the order unpaid with --allow-pending.',
    ],
    [
      "hours",
      "--quantity 2 --pay hours",
      5_000,
      'they run `playtest admin grant EMAIL --minutes 120 --note "Invoice 12"` with your email address.',
    ],
  ];
  it.each(short)("%s", async (_, flags, cents, hint) => {
    take(false, []);
    const owner = await registerOwner(fixture.server);
    if (cents > 0) await giveCredit(fixture.server, owner, cents);
    const game = await createGame(owner, { buildUrl: `${fixture.server.baseUrl}/build.zip` });
    const order = `order ${game} ${flags} --yes`;
    const { code, stderr } = await fixture.run(order, { key: owner.key });
    expect([code, unwrapped(stderr).trim()]).toEqual([7, expect.toSatisfy((text: string) => text.endsWith(hint))]);
    const unpaid = await fixture.run(`${order} --allow-pending`, { key: owner.key });
    expect(unpaid.code).toBe(hint.includes("--allow-pending") ? 0 : 7);
    expect(unpaid.stderr).not.toContain("--balance");
  });
});
