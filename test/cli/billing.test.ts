import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { openWallet } from "../helpers/crypto.ts";
import { createGame, giveMinutes, order } from "../helpers/factories.ts";
import { eachOwnerFixture, named } from "../helpers/owner-fixture.ts";
import { stubServer } from "../helpers/stub-server.ts";
import { evmWallet } from "../helpers/wallets.ts";

const fixture = eachOwnerFixture(0);
const run: typeof fixture.run = (...given) => fixture.run(...given);
const json: typeof fixture.json = (...given) => fixture.json(...given);

const browser = (folder: string) => ({ BROWSER: "true", HOME: folder });

describe("billing", () => {
  it("billing balance: prints the balance for people and for programs", async () => {
    await giveMinutes(fixture.server, fixture.owner, 90);
    expect((await run("billing balance", { tty: true })).stdout).toMatchInlineSnapshot(`
      "credit    $0.00
      hours     90 min
      currency  USD
      "
    `);
    expect(await json("billing balance")).toEqual({ balanceCents: 0, currency: "USD", playtestMinutes: 90 });
    expect(await json("billing hours")).toEqual({ balanceMinutes: 90, balanceHours: 1.5 });
    expect((await run("billing hours history")).stdout).toContain("\t90\tadmin_grant:");
  });

  it("billing credit add: prints the checkout URL; the payment stays pending", async () => {
    const { code, stdout } = await run("billing credit add --amount 20");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/checkout\/\S+\n$/);
    expect((await run("billing payments list")).stdout).toMatch(/\t\$20\.00\tpending\tsandbox\t/);
    expect((await run("billing payments")).code).toBe(0);
  });

  it("billing credit add --open --wait: waits until the payment completes", async () => {
    const env = browser(testFolder());
    const paid = run("billing credit add --amount 20 --open --wait", { env, outside: { sleep: completeCheckout("paid") } });
    expect(await paid).toMatchObject({ code: 0, stdout: "Paid $20.00. The balance is now $20.00.\n" });
    const declined = run("billing credit add --amount 20 --wait", { outside: { sleep: completeCheckout("declined") } });
    expect(await declined).toMatchObject({ code: 7, stdout: "" });
    const late = await run("billing credit add --amount 20 --wait --for 10s");
    expect([late.code, late.waited]).toEqual([8, 10_000]);
    expect(late.stderr).toContain("Pay here: http://");
  });

  it("billing credit add --wait: prints no progress on a terminal of unknown width", async () => {
    const ended = await run("billing credit add --amount 20 --wait --for 10s", { tty: true, columns: 0 });
    expect([ended.code, ended.stderr.includes("\u001b[1A"), ended.stderr.length < 1000]).toEqual([8, false, true]);
  });

  it("billing credit add --sandbox: completes the payment immediately", async () => {
    expect(await json("billing credit add --amount 5000c --sandbox")).toMatchObject({
      result: { payment: { amountCents: 5000, status: "completed" }, balanceCents: 5000 },
    });
  });

  it.each([
    ["billing credit add --amount 19.99", 2, "--amount: must be at least $20.00."],
    ["billing credit add", 2, "--amount is required."],
    ["billing credit add --amount 20 --return-url ftp://x", 2, "--return-url"],
    ["billing payments show 00000000-0000-7000-8000-000000000000", 3, "error:"],
    ["billing subscription checkout --plan-key gold", 2, "is not one of indie_monthly"],
    ["billing subscription cancel --yes", 2, "subscription"],
    ["billing subscription cancel", 2, "Pass --yes"],
    ["billing subscription resume", 2, "cancel"],
    ["billing invoice", 2, "Pass payment ids, or select payments with --all or --since."],
    ["billing invoice --since soon", 2, "--since"],
  ])("refuses `%s`", async (line, code, message) => {
    const ended = await run(line);
    expect(ended.stderr).toContain(message);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
  });

  it("billing subscription: subscribes, cancels and resumes", async () => {
    expect((await run("billing plans")).stdout).toMatchInlineSnapshot(`
      "indie_monthly	Indie, monthly	$79.00	month	5	$15.80
      indie_yearly	Indie, yearly	$790.00	year	60	$13.17
      studio_monthly	Studio, monthly	$379.00	month	25	$15.16
      studio_yearly	Studio, yearly	$3,790.00	year	300	$12.63
      "
    `);
    expect(await json("billing plans")).toMatchObject({ configured: true, plans: [{ key: "indie_monthly" }, {}, {}, {}] });
    expect((await run("billing subscription show")).stderr).toContain("No subscription.");
    const bought = await run("billing subscription checkout --plan-key indie_monthly --sandbox", { tty: { stdout: true } });
    expect([bought.code, bought.stderr]).toEqual([0, ""]);
    expect(named(bought.stdout)).toMatchInlineSnapshot(`
      "plan        Indie Monthly
      status      active
      price       $79.00
      every       month
      hours left  5
      renews      in 1mo
      created     now
      id          UUID
      "
    `);
    const cancelled = await run("billing subscription cancel --yes --json=status,cancelAtPeriodEnd");
    expect(JSON.parse(cancelled.stdout)).toEqual({ subscription: { status: "active", cancelAtPeriodEnd: true } });
    expect(cancelled.stderr).toContain("The subscription ends in 1mo. To undo:");
    expect(await json("billing subscription resume")).toMatchObject({ subscription: { cancelAtPeriodEnd: false } });
  });

  it("billing subscription checkout --wait: notices beside a running plan whether the change of plan is paid", async () => {
    await run("billing subscription checkout --plan-key indie_monthly --sandbox");
    const change = "billing subscription checkout --plan-key studio_monthly --wait";
    const declined = await run(change, { outside: { sleep: completeCheckout("declined") } });
    expect([declined.code, declined.stdout]).toEqual([7, ""]);
    expect(declined.stderr).toContain("The subscription was not paid (status: failed).");
    const paid = await run(`${change} --jq .plan.key`, { outside: { sleep: completeCheckout("paid") } });
    expect([paid.code, paid.stdout]).toEqual([0, "studio_monthly\n"]);
    expect((await run("billing subscription checkout --plan-key indie_yearly --wait --for 10s")).code).toBe(8);
  });

  it("billing subscription: one that is past due is paid with another card, or ends at once when it is cancelled", async () => {
    const { server, owner } = fixture;
    const subscribe = "billing subscription checkout --plan-key indie_monthly --sandbox";
    const missRenewal = async () => {
      const { id } = (await owner.getSubscription()).subscription!;
      await server.request("POST", `/sandbox/subscriptions/${id}/renewals`, { body: { outcome: "failed" } });
      await server.advance(32 * 86_400_000);
    };
    await run(subscribe);
    await missRenewal();
    expect((await run("billing subscription show")).stderr).toContain(
      "To pay with another card: `playtest billing subscription checkout --plan-key indie_monthly`.",
    );
    expect((await run(`${subscribe} --json`)).code).toBe(0);
    expect((await owner.getSubscription()).subscription).toMatchObject({ status: "active", planKey: "indie_monthly" });
    await missRenewal();
    const cancelled = await run("billing subscription cancel --yes");
    expect([cancelled.code, cancelled.stderr]).toEqual([
      0,
      "The subscription has ended. To start it again: `playtest billing subscription checkout --plan-key indie_monthly`.\n",
    ]);
  });

  it("billing credit add --open: says that no browser opened, and the address works by hand", async () => {
    const { code, stdout, stderr } = await run("billing credit add --amount 20 --open", {
      env: { BROWSER: "/nonexistent/browser" },
    });
    expect([code, stderr]).toEqual([0, "warning: Could not open a browser. Open the address yourself.\n"]);
    expect((await fetch(stdout.trim())).status).toBe(200);
  });

  it("billing invoice: writes one invoice to standard output, and several to files", async () => {
    const ids: string[] = [];
    for (const amount of ["20", "30"]) {
      const { result } = (await json(`billing credit add --amount ${amount} --sandbox`)) as unknown as {
        result: { payment: { id: string } };
      };
      ids.push(result.payment.id);
    }
    await run("billing credit add --amount 40");
    const one = await run(`billing invoice ${ids[0]}`);
    expect([one.code, one.stdout.slice(0, 5)]).toEqual([0, "%PDF-"]);
    const folder = testFolder();
    const all = await run(["billing", "invoice", "--all", "--since", "2026-01-01", "--dir", folder]);
    expect(all.code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(["invoice-PT-2026-000001.pdf", "invoice-PT-2026-000002.pdf"]);
    expect(readFileSync(join(folder, "invoice-PT-2026-000002.pdf")).subarray(0, 5).toString()).toBe("%PDF-");
    expect((await run("billing invoice --since 2027-01-01")).stdout).toBe("");
    const recent = await run(["billing", "invoice", "--since", "7d", "--dir", folder, "--jq", ".result | length"]);
    expect(recent.stdout).toBe("2\n");
  });

  it("billing invoice: saves confirmations of orders and credit notes under what they are", async () => {
    const { owner, server } = fixture;
    const bought = (await json("billing credit add --amount 100 --sandbox")) as unknown as {
      result: { payment: { id: string } };
    };
    await order(owner, await createGame(owner));
    const paymentId = bought.result.payment.id;
    await server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome: "disputed" } });
    const folder = testFolder();
    const ran = await run(["billing", "invoice", "--all", "--dir", folder, "--json=kind,number,paymentId"]);
    const [confirmation] = (await owner.get("/billing/payments")).body.data.payments;
    expect(JSON.parse(ran.stdout).result ?? JSON.parse(ran.stdout)).toEqual([
      { kind: "order_confirmation", number: null, paymentId: confirmation.id },
      { kind: "invoice", number: "PT-2026-000001", paymentId },
      { kind: "credit_note", number: "PT-CN-2026-000001", paymentId },
    ]);
    expect(readdirSync(folder).sort()).toEqual([
      "credit-note-PT-CN-2026-000001.pdf",
      "invoice-PT-2026-000001.pdf",
      `order-confirmation-${confirmation.id.slice(-8)}.pdf`,
    ]);
    const one = await run(["billing", "invoice", confirmation.id, "--dir", testFolder()]);
    expect(one.stdout).toContain("order_confirmation");
  });

  it("billing details and invoices: what was set is shown, and each document is listed", async () => {
    expect((await run("billing details", { tty: true })).stdout).toBe(
      "No details for invoices are set. To set them, run `playtest billing details set`.\n",
    );
    const set = await run(["billing", "details", "set", "--name", "Moon Games GmbH", "--country", "de", "--tax-number", "DE1"]);
    expect(set.code).toBe(0);
    await run(["billing", "details", "set", "--clear", "tax-number"]);
    const shown = await json("billing details");
    expect((shown as unknown as { details: object }).details).toEqual({
      name: "Moon Games GmbH",
      address: null,
      country: "DE",
      taxNumber: null,
    });
    expect((await run("billing details set")).code).toBe(2);
    await json("billing credit add --amount 20 --sandbox");
    expect((await run("billing invoices")).stdout).toContain("PT-2026-000001");
  });

  it.each([
    ["to a file", ["--dir", "."]],
    ["to standard output", []],
  ])("billing invoice: does not save %s what is not a PDF, whatever its status", async (_, flags) => {
    const { baseUrl } = await stubServer([{ on: "GET /billing/payments/7/invoice", body: "<html>Please sign in</html>" }]);
    const cwd = testFolder();
    const ran = await run(["billing", "invoice", "7", ...flags], { baseUrl, cwd });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([10, "", expect.stringContaining("is not a PDF file. It was not saved.")]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("billing invoice: reports invoices that fail, and saves the others", async () => {
    const { result } = (await json("billing credit add --amount 20 --sandbox")) as unknown as {
      result: { payment: { id: string } };
    };
    const pending = (await json("billing credit add --amount 20")) as unknown as { paymentId: string };
    const folder = testFolder();
    const file = join(testFolder(), "saved.json");
    const line = ["billing", "invoice", result.payment.id, pending.paymentId, "--dir", folder];
    const ended = await run([...line, "--json", "-o", file]);
    expect([ended.code, readdirSync(folder).length]).toEqual([11, 1]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      result: [{ paymentId: result.payment.id }],
      failed: [{ id: pending.paymentId, code: "CONFLICT" }],
    });
    expect((await run(line)).stderr).toContain(`warning: ${pending.paymentId}: `);
  });

  it("billing invoice: stops where the server cannot be reached, and says what was not tried", async () => {
    const { baseUrl } = await stubServer([
      { on: "GET /billing/payments/7/invoice", body: "%PDF-1.7" },
      { on: "GET /billing/payments/7", data: { payment: { id: "7", document: { kind: "invoice", number: "7" } } } },
      { on: "GET /billing/payments/8/invoice", status: 503, error: { code: "SERVICE_UNAVAILABLE", message: "Closed." } },
    ]);
    const cwd = testFolder();
    const ran = await run("billing invoice 7 8 9 --dir . --retries 0", { baseUrl, cwd });
    expect([ran.code, ran.stderr, readdirSync(cwd)]).toEqual([
      10,
      expect.stringMatching(/Not tried: 9\..*error: Closed\./s),
      ["invoice-7.pdf"],
    ]);
  });
});

describe("billing credit x402", () => {
  it("billing credit x402: prints payment instructions, then accepts the transaction", async () => {
    const asked = await run("billing credit x402 --amount 20 --json");
    expect(asked.code).toBe(0);
    const { payment, uri } = JSON.parse(asked.stdout).result;
    expect(payment).toMatchObject({ chain: "base", currency: "USDC", network: "eip155:8453" });
    const [, amount] = /^ethereum:0x\w+@8453\/transfer\?address=0x\w+&uint256=(\d+)$/.exec(uri) ?? [];
    const sent = async (confirmations: number) => {
      const body = { chain: "base", currency: "USDC", to: payment.receiver, amount, confirmations };
      return (await fixture.server.request("POST", "/sandbox/chain/transactions", { body })).body.data.txHash;
    };
    const early = await sent(0);
    expect((await run(`billing credit x402 --tx ${early}`)).code).toBe(8);
    const tooLong = await run(`billing credit x402 --tx ${early} --wait --for 20s`);
    expect([tooLong.code, tooLong.waited >= 20_000]).toEqual([8, true]);
    const final = await run(`billing credit x402 --tx ${await sent(1000)} --wait`);
    expect(final).toMatchObject({ code: 0, stdout: "Added $20.00. The balance is now $20.00.\n" });
  });

  it.each([
    ["--chain base --currency ETH", /^ethereum:0x\w+@8453\?value=\d+$/],
    ["--chain solana --currency SOL", /^solana:\w+\?amount=[\d.]+$/],
    ["--chain solana --currency USDC", /^solana:\w+\?amount=[\d.]+&spl-token=\w+$/],
  ])("billing credit x402: prints a wallet link and a QR code for %s", async (flags, uri) => {
    const asked = await run(`billing credit x402 --amount 20 --qr ${flags} --json`);
    expect(JSON.parse(asked.stdout).result.uri).toMatch(uri);
    expect(asked.stderr).toMatch(/^█+\n██ ▄▄▄▄▄ /);
    expect(asked.stderr).toContain(`${flags} --tx HASH --wait`);
  });

  it("billing credit x402 --sandbox: pays on the sandbox chain", async () => {
    expect(await json("billing credit x402 --amount 20 --chain solana --currency SOL --sandbox")).toMatchObject({
      result: { creditedCents: 2000 },
    });
  });

  it("billing credit x402 prove: prints what to sign, then credits the deposit", async () => {
    const wallet = await openWallet(fixture.server, fixture.owner);
    const asked = await wallet.ask(2000);
    const { id } = asked.body.error.payment;
    const payer = evmWallet();
    const tx = await wallet.send(asked, { by: 5_000_000, from: payer.address });
    const held = await run(`billing credit x402 --tx ${tx}`);
    expect([held.code, held.stderr]).toEqual([6, expect.stringContaining(`billing credit x402 prove ${id} --tx ${tx}`)]);
    const shown = await run(`billing credit x402 prove ${id} --tx ${tx}`);
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringContaining(`\nPayment: ${id}\nChain: base\nTransaction: ${tx}\n`),
    ]);
    expect(shown.stderr).toContain(`with ${payer.address}. Sign it as text (personal_sign)`);
    expect(shown.stderr).toContain(`prove ${id} --tx ${tx} --signature SIGNATURE`);
    const wrong = await run(`billing credit x402 prove ${id} --tx ${tx} --signature ${payer.sign("Hello")}`);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`by ${payer.address}, which sent it`)]);
    const proved = await run(`billing credit x402 prove ${id} --tx ${tx} --signature ${payer.sign(shown.stdout.slice(0, -1))}`);
    expect(proved).toMatchObject({ code: 0, stdout: "Credited $25.00. The deposit was credited to your account.\n" });
  });

  it("billing credit x402 --from: declares who will pay", async () => {
    const payer = evmWallet();
    const line = `billing credit x402 --amount 20 --from ${payer.address}`;
    const { payment } = JSON.parse((await run(`${line} --json`)).stdout).result;
    const body = { chain: "base", currency: "USDC", to: payment.receiver, amount: "25000000", from: payer.address };
    const tx = (await fixture.server.request("POST", "/sandbox/chain/transactions", { body })).body.data.txHash;
    expect((await run(`billing credit x402 --tx ${tx}`)).stdout).toBe("Added $25.00. The balance is now $25.00.\n");
  });

  it.each([
    ["billing credit x402 --tx 0x1 --from 0x2", 2, "--from and --tx cannot be used together."],
    ["billing credit x402 --amount 20 --from 0x2", 2, "must be an address on base"],
    ["billing credit x402 prove 019a0000-0000-7000-8000-000000000000", 2, "--tx is required"],
    ["billing credit x402", 2, "Pass --amount to get payment instructions, or --tx"],
    ["billing credit x402 --amount 4", 2, "--amount: must be at least $5.00."],
    ["billing credit x402 --amount 20 --chain base --currency SOL", 2, "SOL"],
  ])("refuses `%s`", async (line, code, message) => {
    const ended = await run(line);
    expect(ended.stderr).toContain(message);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
  });
});

it.each([
  ["billing credit add --amount 50 --for 1m", "--for requires --wait."],
  ["billing subscription checkout --plan-key indie_monthly --for 1m", "--for requires --wait."],
  ["billing credit x402 --tx 0x12 --for 1m", "--for requires --wait."],
  ["billing credit x402 --amount 50 --wait", "--wait requires --tx."],
])("%s: is refused, because it would wait for nothing", async (line, said) => {
  expect(await run(line)).toMatchObject({ code: 2, stderr: expect.stringContaining(`${said} Nothing was paid.`) });
});

describe("billing forecast", () => {
  it("billing forecast: lists the ways to pay, cheapest first", async () => {
    await giveMinutes(fixture.server, fixture.owner, 120);
    const { code, stdout, stderr } = await run("billing forecast --quantity 1 --duration-minutes 60 --orders 6", {
      tty: { stdout: true },
    });
    expect([code, stderr]).toEqual([0, "Cheapest, $79.00: buy indie_monthly for $79.00, pay 6 orders of 6 with hours.\n"]);
    expect(stdout).toMatchInlineSnapshot(`
      "PLAN            PRICE      ON HOURS  MIN USED  MIN LEFT  CREDIT  TOTAL
      indie_monthly   $79.00     6         360       60        $0.00   $79.00
      none            $0.00      2         120       0         $80.00  $80.00
      studio_monthly  $379.00    6         360       1260      $0.00   $379.00
      indie_yearly    $790.00    6         360       3360      $0.00   $790.00
      studio_yearly   $3,790.00  6         360       17760     $0.00   $3,790.00
      "
    `);
  });

  it("billing forecast: reads orders from a file and selects those to pay with hours", async () => {
    await giveMinutes(fixture.server, fixture.owner, 120);
    const stdin =
      "- {quantity: 1, durationMinutes: 30}\n- {quantity: 1, durationMinutes: 120}\n- {quantity: 2, durationMinutes: 30}\n";
    const { stdout } = await run("billing forecast - --json", { stdin });
    expect(JSON.parse(stdout).result[0]).toEqual({
      plan: null,
      planCents: 0,
      byHours: ["#1", "#3"],
      minutesUsed: 90,
      minutesLeft: 30,
      creditCents: 3500,
      totalCents: 3500,
    });
    expect(await run("billing forecast -", { stdin: "quantity: 1" })).toMatchObject({ code: 2 });
    for (const flags of ["--quantity 5", "--orders 2", "--target-country DE"])
      expect(await run(`billing forecast - ${flags}`, { stdin })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("cannot be used together. Nothing was priced."),
      });
  });
});

/** What a person does at the checkout while the command waits. */
function completeCheckout(outcome: string) {
  return async () => {
    const { payments } = (await fixture.owner.get("/billing/payments")).body.data;
    const { id } = payments.find(({ status }: { status: string }) => status === "pending");
    await fixture.server.request("POST", `/sandbox/payments/${id}/complete`, { body: { outcome } });
  };
}
