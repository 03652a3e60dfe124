import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tree } from "../../src/cli/tree.ts";
import { playtest, testFolder } from "../helpers/cli.ts";
import { registerOwner } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { reusedStore } from "../helpers/reused-store.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";

const day = 86_400_000;

describe("sandbox", () => {
  const fixture = eachOwnerFixture();
  const json = async <T>(line: string) => (await fixture.json(line)) as unknown as T;
  const openSlot = async () => {
    const playtestId = await fixture.order();
    return (await fixture.owner.get(`/playtests/${playtestId}/slots`)).body.data.slots[0].id as string;
  };
  const resetMail = async () => {
    const { email } = (await fixture.owner.get("/auth/me")).body.data;
    await fixture.server.request("POST", "/auth/password-reset", { body: { email } });
    return email as string;
  };

  it("play: a simulated playtester submits a video, which can be accepted", async () => {
    const slot = await openSlot();
    const { code, stdout } = await fixture.run(`sandbox play ${slot}`, { tty: true });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/game +\S.*\nstatus +submitted\n/)]);
    expect((await fixture.run(`review accept ${slot}`)).code).toBe(0);
  });

  it("play: by a playtester who is named", async () => {
    const { result } = await json<{ result: { id: string; displayName: string }[] }>("sandbox testers create --count 2");
    const [, second] = result;
    const { slot } = await fixture.json(`sandbox play ${await openSlot()} --tester ${second!.id}`);
    expect(slot).toMatchObject({ status: "submitted", playtester: { id: second!.id, displayName: second!.displayName } });
  });

  it("play: a slot that was played is a conflict", async () => {
    const slot = await openSlot();
    await fixture.run(`sandbox play ${slot}`);
    const { code, stdout, stderr } = await fixture.run(`sandbox play ${slot}`);
    expect([code, stdout, stderr]).toEqual([6, "", expect.stringContaining("Nothing was changed.")]);
  });

  it("advance: moves the clock and runs what becomes due", async () => {
    const before = await json<{ now: string }>("sandbox clock");
    const playtestId = await fixture.order({ selectionMode: "manual" });
    const moved = await json<{ now: string; ran: number }>("sandbox advance 7d");
    expect(Date.parse(moved.now) - Date.parse(before.now)).toBe(7 * day);
    expect(moved.ran).toBeGreaterThan(0);
    expect((await fixture.owner.get(`/playtests/${playtestId}`)).body.data.playtest.status).toBe("expired");
    expect(await fixture.json("sandbox clock")).toEqual({ now: moved.now });
    expect((await fixture.run("sandbox clock")).stdout).toBe(`now\t${moved.now}\n`);
  });

  it("advance: what is shown as so long ago follows the sandbox clock, not that of this machine", async () => {
    await fixture.run(`sandbox play ${await openSlot()}`);
    const shown = async () => (await fixture.run("review list", { tty: true })).stdout.split("\n")[1];
    expect(await shown()).toMatch(/ now$/);
    await fixture.run("sandbox advance 3h");
    expect(await shown()).toMatch(/ 3h ago$/);
    expect((await fixture.run("review list --template {submission.createdAt|ago}")).stdout).toBe("3h ago\n");
  });

  it.each([
    ["soon", 'time: "soon" is not a valid duration.'],
    ["401d", "time: must be at most 400d."],
    ["-5s", "Unknown flag -5s."],
  ])("advance: %s is refused", async (time, message) => {
    const { code, stderr } = await fixture.run(`sandbox advance ${time}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(fixture.server.clock.now()).toBe(Date.parse((await json<{ now: string }>("sandbox clock")).now));
  });

  it("mail: lists what was sent, newest first, and prints one by its short id", async () => {
    expect(await fixture.run("sandbox mail", { tty: true })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No mail was sent yet.\n",
    });
    const email = await resetMail();
    const { messages } = await json<{ messages: { id: string; text: string; subject: string }[] }>("sandbox mail");
    expect(messages).toHaveLength(1);
    const env = { PLAYTEST_CONFIG_DIR: testFolder() };
    await fixture.run("sandbox mail", { env, tty: true });
    const { stdout } = await fixture.run(`sandbox mail ${messages[0]!.id.slice(-8)}`, { env });
    expect(stdout).toMatch(new RegExp(`^To: ${email}\nSubject: ${messages[0]!.subject}\nDate: \\d{4}-.*Z\n\n`));
    expect(stdout).toContain(messages[0]!.text.trim().split("\n")[0]);
    expect((await fixture.run(`sandbox mail ${messages[0]!.id} --html`)).stdout).toContain("<");
    const missing = await fixture.run("sandbox mail 00000000-0000-7000-8000-000000000000");
    expect([missing.code, missing.stdout]).toEqual([3, ""]);
  });

  it("verify: follows the link of the newest verification mail, once", async () => {
    const { config } = fixture.server.deps;
    config.autoVerify = false;
    const owner = await registerOwner(fixture.server);
    const key = { key: owner.key };
    expect((await fixture.run("auth profile", key)).stdout).toContain("false");
    expect((await fixture.run("auth resend-verification", key)).code).toBe(0);
    expect(await fixture.run("sandbox verify --dry-run", key)).toMatchObject({ code: 0, stdout: "POST /verify-email\n" });
    expect(await fixture.run("sandbox verify", key)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\S+@\S+ is verified\.\n$/),
    });
    expect((await owner.get("/auth/me")).body.data.emailVerified).toBe(true);
    const again = await fixture.run("sandbox verify", key);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("it was used or has expired")]);
    const nobody = await fixture.run("sandbox verify o'brien@example.com");
    expect([nobody.code, nobody.stderr]).toEqual([3, expect.stringContaining("No verification mail was sent to")]);
    expect(nobody.stderr).toContain("resend-verification --email 'o'\\''brien@example.com'`");
  });

  it.each([
    ["", "completed"],
    [" --outcome declined", "failed"],
    [" --outcome cancelled", "cancelled"],
  ])("pay:%s ends a payment as %s", async (flags, status) => {
    const { paymentId } = (await fixture.owner.post("/billing/credit", { amountCents: 2_000 })).body.data;
    expect((await json<{ payment: object }>(`sandbox pay ${paymentId}${flags}`)).payment).toMatchObject({ status });
  });

  it("subscription pay, subscription renewals: start your subscription and let its next renewal fail", async () => {
    expect(await fixture.run("sandbox subscription pay")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no subscription"),
    });
    const { subscriptionId } = (await fixture.owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" })).body
      .data;
    const paid = await json<{ subscription: object }>(`sandbox subscription pay ${subscriptionId}`);
    expect(paid.subscription).toMatchObject({ status: "active" });
    expect((await fixture.run("sandbox subscription renewals --outcome failed")).code).toBe(0);
    await fixture.run("sandbox advance 40d");
    const { subscription } = (await fixture.owner.get("/billing/subscription")).body.data;
    expect(subscription.status).not.toBe("active");
  });

  it("transaction: prints a hash with which credit can be paid", async () => {
    const { result } = await json<{ result: { payment: Record<string, string> } }>("billing credit x402 --amount 20");
    const { receiver, cryptoAmount } = result.payment;
    const amount = Math.round(Number(cryptoAmount) * 1e6);
    const made = await fixture.run(`sandbox transaction --chain base --currency USDC --to ${receiver} --amount ${amount}`);
    expect(made.stdout).toMatch(/^0x[0-9a-f]{64}\n$/);
    expect((await fixture.run(`billing credit x402 --tx ${made.stdout.trim()}`)).stdout).toContain("$20.00");
  });
});

describe("on a server that is not a sandbox", () => {
  let server: TestServer;
  let remove: () => Promise<unknown>;
  const id = "019ca945-0a00-7706-9c06-a611624d0000";

  beforeEach(async () => {
    const store = await reusedStore();
    remove = () => store.remove();
    server = await startTestServer({
      store,
      config: (config) => {
        config.sandbox = false;
      },
    });
  });
  afterEach(async () => {
    await server.close();
    await remove();
  });

  const rows = [
    ["sandbox play", id],
    ["sandbox advance", "7d"],
    ["sandbox clock", ""],
    ["sandbox mail", ""],
    ["sandbox mail", id],
    ["sandbox verify", "ada@example.com"],
    ["sandbox pay", id],
    ["sandbox subscription pay", id],
    ["sandbox subscription renewals", `${id} --outcome paid`],
    ["sandbox transaction", "--chain base --currency USDC --to 0x0 --amount 1"],
    ["sandbox testers create", ""],
    ["webhooks trigger", "slot.submitted"],
    ["billing credit add", "--amount 20 --sandbox"],
    ["billing credit x402", "--amount 20 --sandbox"],
    ["billing subscription checkout", "--plan-key indie_monthly --sandbox"],
  ] as const;

  it.each(rows)("%s %s says so and does nothing", async (path, words) => {
    const owner = await registerOwner(server);
    const argv = [...path.split(" "), ...words.split(" ").filter(Boolean)];
    const { code, stdout, stderr } = await playtest(argv, { baseUrl: server.baseUrl, key: owner.key });
    const text = `error: ${server.baseUrl} is not a sandbox. Nothing was done.\nStart a sandbox with \`playtest serve run --sandbox\`.\n`;
    expect([code, stdout, stderr.split("Request ID")[0]]).toEqual([3, "", text]);
    expect((await owner.get("/billing/payments")).body.data.payments).toEqual([]);
  });

  it("every command of the group is checked here", () => {
    const all = tree.commands.filter(({ path }) => path[0] === "sandbox").map(({ path }) => path.join(" "));
    expect(all.filter((path) => !rows.some(([checked]) => checked === path))).toEqual([]);
  });
});
