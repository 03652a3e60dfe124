import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { startFlakyNetwork } from "../helpers/flaky-network.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixturePath = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

const fixture = eachOwnerFixture(0);
const run: typeof fixture.run = (...given) => fixture.run(...given);

interface Asked {
  payment: { id: string; chain: string; currency: string; cryptoAmount: string; receiver: string };
}

/** Sends what an instruction asks for on the sandbox chain; the hash. */
async function pay({ payment }: Asked, changes: Record<string, unknown> = {}): Promise<string> {
  const { chain, currency, cryptoAmount, receiver } = payment;
  const amount = cryptoAmount.replace(/^(\d+)\.?(\d*)$/, (_, whole, part) => whole + part.padEnd(6, "0")).replace(/^0+/, "");
  const body = { chain, currency, to: receiver, amount, ...changes };
  const reply = await fixture.server.request("POST", "/sandbox/chain/transactions", { body });
  return reply.body.data.txHash;
}

/** Each way to come to instructions and to pay them: the commands differ, what happens is the same. */
const ways = {
  async order() {
    const line = `playtests order ${fixture.gameId} --quantity 2 --pay x402 --yes`;
    return { first: line, second: (tx: string) => `${line} --tx ${tx}` };
  },
  async pay() {
    const { code, stdout } = await run(`playtests order ${fixture.gameId} --quantity 2 --yes --allow-pending --json`);
    if (code !== 0) throw new Error("could not order");
    const line = `playtests pay ${JSON.parse(stdout).playtest.id} --method x402 --yes`;
    return { first: line, second: (tx: string) => `${line} --tx ${tx}` };
  },
};

describe.each(Object.keys(ways) as (keyof typeof ways)[])("playtests %s with crypto", (way) => {
  const asked = async (line: string) => {
    const { code, stdout, stderr } = await run(`${line} --json`);
    return { code, stderr, ...(JSON.parse(stdout) as Asked) };
  };

  it("prints payment instructions and ends with 7", async () => {
    const { first } = await ways[way]();
    const shown = await run(first, { tty: { stdout: true } });
    expect(shown.code).toBe(7);
    expect(shown.stdout).toMatch(/^send {4}40\.\d+ USDC\nto {6}0x\w+\nchain {3}base \(eip155:8453\)\nbefore {2}in 15m\n$/);
    expect(shown.stderr).toContain("After sending the transaction, ");
    expect(await asked(first)).toMatchObject({ code: 7, payment: { chain: "base", currency: "USDC" } });
  });

  it("ends with 8 until the transaction is final, then with 0; a repeat prints the same", async () => {
    const { first, second } = await ways[way]();
    const tx = await pay(await asked(first), { confirmations: 0 });
    const early = await run(second(tx));
    expect([early.code, early.stdout]).toEqual([8, ""]);
    expect(early.stderr).toContain("is not final yet. Do not pay again");
    fixture.server.clock.set(fixture.server.clock.now() + 200_000);
    const paid = await run(second(tx), { tty: { stdout: true } });
    expect([paid.code, paid.stdout]).toEqual([0, expect.stringMatching(/status +active\n[\s\S]*paid with +\$40\.00 crypto\n/)]);
    const again = await run(second(tx), { tty: { stdout: true } });
    expect([again.code, again.stdout]).toEqual([0, paid.stdout]);
    expect((await fixture.owner.get(`/games/${fixture.gameId}/playtests`)).body.data.playtests).toHaveLength(1);
  });

  it("refuses an unknown transaction, a failed one, and one of too small an amount", async () => {
    const { first, second } = await ways[way]();
    const instructions = await asked(first);
    const unseen = await run(second(`0x${"12".repeat(32)}`));
    expect([unseen.code, unseen.stderr]).toEqual([8, expect.stringContaining("is not visible on base yet")]);
    const failed = await run(second(await pay(instructions, { status: "reverted" })));
    expect([failed.code, failed.stderr]).toEqual([
      2,
      expect.stringContaining("is a failed transaction that transferred nothing"),
    ]);
    const short = await run(second(await pay(instructions, { amount: "39000000" })));
    expect([short.code, short.stderr]).toEqual([
      7,
      expect.stringMatching(/39 USDC arrived of 40\.\d+ USDC: 1\.\d+ USDC is missing/),
    ]);
    expect((await run(second(await pay(instructions)))).code).toBe(0);
  });

  it("pays once if the response is lost and the command is repeated", async () => {
    const { first, second } = await ways[way]();
    const line = second(await pay(await asked(first)));
    const lossy = await startFlakyNetwork(fixture.server.baseUrl, ({ headers }) => headers["x-payment"] !== undefined);
    const lost = await run(`${line} --retries 0`, { baseUrl: lossy.baseUrl });
    await lossy.close();
    expect(lost.code).toBe(12);
    expect((await run(line)).code).toBe(0);
    const { payments } = (await fixture.owner.get("/billing/payments")).body.data;
    expect(payments.filter(({ status }: { status: string }) => status === "completed")).toHaveLength(1);
  });
});

describe("--wallet-command", () => {
  const wallet = (fault = "") => `${process.execPath} ${fixturePath("x402-wallet.mjs")} ${fault}`;
  const runWith = (line: string, command: string, options = {}) =>
    run([...line.split(" "), "--wallet-command", command], options);
  const lines = {
    order: async () => `playtests order ${fixture.gameId} --pay x402 --max-cost 20`,
    async pay() {
      const { stdout } = await run(`playtests order ${fixture.gameId} --yes --allow-pending --json`);
      return `playtests pay ${JSON.parse(stdout).playtest.id} --method x402 --max-cost 20`;
    },
  };
  const orders = async () =>
    ((await fixture.owner.get(`/games/${fixture.gameId}/playtests`)).body.data.playtests as { status: string }[]).map(
      ({ status }) => status,
    );

  // The wallet signs by the time of this machine.
  beforeEach(() => fixture.server.clock.set(Date.now()));

  it.each(Object.keys(lines) as (keyof typeof lines)[])("playtests %s: a wallet signs, and its receipt is shown", async (way) => {
    const line = await lines[way]();
    const paid = await runWith(line, wallet(), { tty: { stdout: true } });
    expect([paid.code, paid.stderr]).toEqual([0, expect.not.stringContaining("wallet")]);
    expect(paid.stdout).toMatch(/paid with +\$20\.00 crypto\n/);
    const [, transaction] = /transaction +(0x[0-9a-f]{64}) \(eip155:8453\)\n/.exec(paid.stdout) ?? [];
    expect(await orders()).toEqual(["active"]);
    const { stdout } = await run("billing payments list --json");
    expect(JSON.parse(stdout).payments ?? JSON.parse(stdout)).toMatchObject([{ status: "completed", externalId: transaction }]);
  });

  it("shows the receipt in JSON", async () => {
    const { stdout } = await runWith(`${await lines.order()} --json`, wallet());
    expect(JSON.parse(stdout).receipt).toEqual({
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      network: "eip155:8453",
      payer: expect.stringMatching(/^0x[0-9a-f]{40}$/),
    });
  });

  it.each([
    ["fails", 1, "The wallet command ended with 3. Nothing was paid."],
    ["prints-text", 1, "The wallet command did not print a JSON object. Nothing was paid."],
  ])("a wallet that %s pays nothing", async (fault, code, message) => {
    const failed = await runWith(await lines.order(), wallet(fault));
    expect([failed.code, failed.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(await orders()).toEqual(["pending_payment"]);
  });

  it.each([
    ["--yes", "--wallet-command requires --pay x402."],
    ["--pay x402 --tx 0x12 --yes", "--wallet-command and --tx cannot be used together."],
  ])("%s: is refused before anything is sent", async (flags, message) => {
    const refused = await run(`playtests order ${fixture.gameId} ${flags} --wallet-command true`);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await orders()).toEqual([]);
  });

  it.each(["--tx 0x12", "--from 0x12", "--chain base", "--currency USDC"])(
    "%s: goes with no other way to pay, so that nobody pays twice",
    async (flags) => {
      const order = await run(`playtests order ${fixture.gameId} ${flags} --yes`);
      const [flag] = flags.split(" ");
      expect([order.code, order.stderr]).toEqual([2, expect.stringContaining(`${flag} requires --pay x402. Nothing was paid.`)]);
      const pay = await run(`playtests pay ${fixture.gameId} --method credit ${flags} --yes`);
      expect([pay.code, pay.stderr]).toEqual([2, expect.stringContaining(`${flag} requires --method x402. Nothing was paid.`)]);
      expect(await orders()).toEqual([]);
    },
  );

  it("a server without signed payments is told apart, and nothing is signed", async () => {
    fixture.server.deps.facilitator = null;
    const refused = await runWith(await lines.order(), wallet("fails"));
    expect([refused.code, refused.stderr]).toEqual([
      7,
      expect.stringContaining("This server does not take signed payments here."),
    ]);
  });

  it("a payment whose outcome is not known ends with 8 and says not to repeat it", async () => {
    fixture.server.deps.facilitator = {
      chains: ["base"],
      verify: async () => undefined,
      settle: async () => ({ is: "unknown", cause: new Error("no answer") }),
    };
    const unsure = await runWith(await lines.order(), wallet());
    expect([unsure.code, unsure.stderr]).toEqual([8, expect.stringContaining("Do not run this again.")]);
  });

  const honest = "eip155:8453";
  it.each([
    ["another network", { network: "eip155:137" }, "to pay on eip155:137, which is not base"],
    ["another chain of real money", { network: "eip155:1" }, "to pay on eip155:1, which is not base"],
    ["another token", { asset: `0x${"ab".repeat(20)}` }, "which is not USDC on base"],
    ["another receiver", { payTo: `0x${"cd".repeat(20)}` }, "although its instructions name"],
  ])("a server that asks the wallet for %s gets nothing, and nothing is signed", async (_, changes, message) => {
    const spoil = (name: string, value: string) => {
      if (name !== "payment-required") return value;
      const required = JSON.parse(Buffer.from(value, "base64").toString());
      Object.assign(required.accepts[0], changes);
      return Buffer.from(JSON.stringify(required)).toString("base64");
    };
    const never = () => false;
    const liar = await startFlakyNetwork(fixture.server.baseUrl, never, never, spoil);
    const refused = await runWith(await lines.order(), wallet("fails"), { baseUrl: liar.baseUrl });
    await liar.close();
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(refused.stderr).not.toContain("the wallet is locked");
  });

  it.each(["signs-more", "signs-other-receiver", "signs-other-token", "signs-other-network"])(
    "what a wallet that %s prints is not sent",
    async (fault) => {
      const refused = await runWith(await lines.order(), wallet(fault));
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining("signed another payment than the server asked for"),
      ]);
      expect(await orders()).toEqual(["pending_payment"]);
    },
  );

  it("billing credit x402: a wallet signs, the credit is added, and the receipt is shown", async () => {
    const added = await runWith("billing credit x402 --amount 20", wallet());
    expect([added.code, added.stdout]).toEqual([0, "Added $20.00. The balance is now $20.00.\n"]);
    const { stdout } = await runWith("billing credit x402 --amount 30 --json", wallet());
    expect(JSON.parse(stdout).result).toMatchObject({
      creditedCents: 3000,
      balanceCents: 5000,
      receipt: { network: honest, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
  });

  it.each([
    ["--amount 20 --sandbox", 2, "--wallet-command cannot be used together with --sandbox or --qr."],
    ["--amount 20 --qr", 2, "--wallet-command cannot be used together with --sandbox or --qr."],
    ["--tx 0x12", 2, "--wallet-command and --tx cannot be used together."],
    ["--amount 20 --currency ETH", 7, "This server does not take signed payments here."],
    ["--amount 20", 1, "The wallet command ended with 3. Nothing was paid."],
  ])("billing credit x402 %s: a wallet that fails adds nothing", async (flags, code, message) => {
    const refused = await runWith(`billing credit x402 ${flags}`, wallet("fails"));
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect((await fixture.owner.get("/billing/balance")).body.data.balanceCents).toBe(0);
  });

  it("billing credit x402: a payment whose outcome is not known ends with 8 and says not to repeat it", async () => {
    fixture.server.deps.facilitator = {
      chains: ["base"],
      verify: async () => undefined,
      settle: async () => ({ is: "unknown", cause: new Error("no answer") }),
    };
    const unsure = await runWith("billing credit x402 --amount 20", wallet());
    expect([unsure.code, unsure.stderr]).toEqual([8, expect.stringContaining("Do not run this again.")]);
  });

  it("a server that asks for more than the price gets nothing", async () => {
    const { deps } = fixture.server;
    const base = deps.chains.get("base")!;
    Object.assign(deps.chains, { rate: async () => 50, get: (name: string) => (name === "base" ? base : undefined) });
    const refused = await runWith(await lines.order(), wallet("fails"));
    expect([refused.code, refused.stderr]).toEqual([
      7,
      expect.stringContaining("The server asks for another amount than $20.00."),
    ]);
  });
});
