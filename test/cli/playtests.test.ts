import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { claim, giveCredit, giveMinutes, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startFlakyNetwork } from "../helpers/flaky-network.ts";
import { eachOwnerFixture, named } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture();
const balance = async () => (await fixture.owner.get("/billing/balance")).body.data.balanceCents;
const playtests = async () => (await fixture.owner.get(`/games/${fixture.gameId}/playtests`)).body.data.playtests;

describe("order", () => {
  it("orders, says how it was paid and what is left", async () => {
    const { code, stdout, stderr } = await fixture.run(`order ${fixture.gameId} --quantity 3 --yes`, { tty: true });
    expect(code).toBe(0);
    expect(named(stdout)).toMatchInlineSnapshot(`
      "playtest          UUID
      status            active
      slots ordered     3
      duration          60 min
      players per slot  1
      kind              private
      offered to        everyone
      selection         automatic
      price per slot    $20.00
      payout per slot   $10.00
      paid with         $60.00 credit
      remaining         $440.00
      "
    `);
    expect(stderr).toBe("");
    expect(await balance()).toBe(44_000);
  });

  it("prints the server's reply unchanged as JSON", async () => {
    const { stdout } = await fixture.run(`playtests order ${fixture.gameId} --max-cost 20 --json`);
    const data = JSON.parse(stdout);
    expect(data).toMatchObject({ paid: true, paidWithCredit: true, totalCents: 2_000, balanceCents: 48_000 });
    expect(data.playtest).toMatchObject({ status: "active", quantity: 1, durationMinutes: 60 });
  });

  it.each([
    ["a keys file", "--player-count 2 --keys-file KEYS", { playerCount: 2 }],
    ["the former --fresh", "--fresh", { targetingType: "new", targetingScope: "game" }],
    ["the former --select", "--select manual", { selectionMode: "manual" }],
    [
      "manual selection",
      "--selection-mode manual --qualifications Roguelikes",
      { selectionMode: "manual", qualifications: "Roguelikes" },
    ],
    [
      "certain players",
      "--target-country de,AT --target-language de --target-device PC --target-device mac --target-age 18-24,55+",
      { targetCountries: ["DE", "AT"], targetLanguages: ["de"], targetDevices: ["PC", "Mac"], targetAges: ["18-24", "55+"] },
    ],
    ["the fields of certain players", "--target-countries JP", { targetCountries: ["JP"], targetDevices: [] }],
    ["public", "--visibility public", { visibility: "public", durationMinutes: 30, costPerSlotCents: 0 }],
    [
      "every field",
      "--duration-minutes 120 --notes-for-testers Loud --targeting-type new --targeting-scope owner",
      { durationMinutes: 120, notesForTesters: "Loud", targetingScope: "owner" },
    ],
  ])("orders with %s", async (_, flags, expected) => {
    const keys = join(testFolder(), "keys.txt");
    writeFileSync(keys, "AAA-1\r\n\nBBB-2\n");
    const { code, stdout, stderr } = await fixture.run(`order ${fixture.gameId} ${flags.replace("KEYS", keys)} --yes --json`);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout).playtest).toMatchObject(expected);
  });

  it("says whom it is for, and orders for the same players again", async () => {
    const earlier = await fixture.order({ targetCountries: ["DE"], targetDevices: ["PC"] });
    const { stdout } = await fixture.run(`order ${fixture.gameId} --like ${earlier} --target-device Mac --yes`, { tty: true });
    expect(stdout).toMatch(/offered to +players in Germany with a Mac\n/);
    expect((await fixture.run(`playtests show ${earlier}`, { tty: true })).stdout).toMatch(
      /offered to +players in Germany with a Windows PC\n/,
    );
    const { code, stderr } = await fixture.run(`order ${fixture.gameId} --target-country Germany --yes`);
    expect([code, stderr]).toEqual([2, expect.stringContaining("must be a country code such as DE")]);
  });

  it("orders like an earlier playtest, and flags win", async () => {
    const earlier = await fixture.order({
      durationMinutes: 120,
      quantity: 2,
      notesForTesters: "Loud",
      targetingType: "new",
      targetingScope: "game",
    });
    const { stdout } = await fixture.run(`order ${fixture.gameId} --like ${earlier} --quantity 1 --yes --json`);
    expect(JSON.parse(stdout).playtest).toMatchObject({
      durationMinutes: 120,
      quantity: 1,
      notesForTesters: "Loud",
      targetingType: "new",
      targetingScope: "game",
    });
  });

  it("pays from hours when they cover all of it", async () => {
    await giveMinutes(fixture.server, fixture.owner, 100);
    const { stdout } = await fixture.run(`order ${fixture.gameId} --yes`, { tty: true });
    expect(stdout).toMatch(/paid with +60 playtest minutes\nremaining +40 playtest minutes/);
    expect(await balance()).toBe(50_000);
  });

  it.each([
    ["too few keys", "--quantity 2 --keys-for-testers ONE", 2, "--keys-file: must hold exactly 2 keys"],
    [
      "manual selection of one",
      "--tester 019a0000-0000-7000-8000-000000000000 --selection-mode manual",
      2,
      "--selection-mode: cannot be manual",
    ],
    ["a long free trial", "--is-free-public-trial --duration-minutes 60", 2, "--duration-minutes: must be 30"],
    ["--fresh with --tester", "--fresh --tester X", 2, "--fresh and --tester cannot be used together"],
    ["a price above --max-cost", "--quantity 3 --max-cost 59.99", 7, "cost of $60.00 exceeds --max-cost $59.99"],
    ["too little credit", "--quantity 26 --yes", 7, "The order costs $520.00, but the balance is $500.00: $20.00 short"],
    ["too few hours", "--pay hours --yes", 7, "The order requires 60 playtest minutes, but the account has 0"],
    ["neither --yes nor a terminal", "", 2, "Pass --yes to confirm, or --max-cost to set a limit."],
  ])("refuses %s before anything is sent", async (_, flags, code, message) => {
    const ran = await fixture.run(["order", fixture.gameId, ...flags.split(" ").filter(Boolean)]);
    expect([ran.code, ran.stdout]).toEqual([code, ""]);
    expect(ran.stderr).toContain(message);
    expect(await playtests()).toEqual([]);
  });

  it("shows with --dry-run what it would send and cost, and sends nothing", async () => {
    const { code, stdout } = await fixture.run(
      `order ${fixture.gameId} --quantity 2 --keys-for-testers A1 --keys-for-testers B2 --dry-run --json`,
    );
    const { requests } = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(requests).toEqual([
      expect.objectContaining({ method: "POST", path: `/api/v1/games/${fixture.gameId}/playtests`, costCents: 4_000 }),
    ]);
    expect(stdout).not.toContain("A1");
    expect((await fixture.run(`order ${fixture.gameId} --quantity 2 --dry-run`)).stdout).toMatch(
      /^POST .*\n\{\n {2}"quantity": 2\n\}\nCost: \$40.00\n$/,
    );
    expect(await playtests()).toEqual([]);
  });

  it("orders once however often the same command is repeated with its key", async () => {
    const line = `order ${fixture.gameId} --yes --idempotency-key nightly-1 --json`;
    const [first, again] = [await fixture.json(line.replace(" --json", "")), await fixture.json(line.replace(" --json", ""))];
    expect(again).toEqual(first);
    expect(await playtests()).toHaveLength(1);
  });

  it("says of an order whose first reply was lost what it says of any other", async () => {
    const loses = { order: true };
    const network = await startFlakyNetwork(fixture.server.baseUrl, ({ method, url }) => {
      const isLost = loses.order && method === "POST" && url?.endsWith("/playtests") === true;
      if (isLost) loses.order = false;
      return isLost;
    });
    const { code, stdout, stderr } = await fixture.run(`order ${fixture.gameId} --yes`, { baseUrl: network.baseUrl, tty: true });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("already placed")]);
    expect(stdout).toMatch(/paid with +\$20\.00 credit\nremaining +\$480\.00/);
    expect(await playtests()).toHaveLength(1);
    await network.close();
  });

  it("orders what a file says once with --once, also when the first took all the money", async () => {
    const owner = await registerOwner(fixture.server);
    const { body } = await owner.post("/games", { name: "Once", buildUrl: `${fixture.server.baseUrl}/play` });
    await giveCredit(fixture.server, owner, 4_000);
    const env = { PLAYTEST_API_KEY: owner.key };
    const file = join(testFolder(), "order.yaml");
    writeFileSync(file, "quantity: 2\n");
    const order = (flags: string) => fixture.run(`order ${body.data.game.id} -f ${file} --max-cost 40 ${flags} --json`, { env });
    const [first, again] = [await order("--once"), await order("--once")];
    expect([again.code, again.stdout]).toEqual([0, first.stdout]);
    expect([first.stderr, again.stderr]).toEqual([
      "",
      "This order was already placed. Nothing was charged. It is shown as it was then.\n",
    ]);
    expect((await owner.get(`/games/${body.data.game.id}/playtests`)).body.data.playtests).toHaveLength(1);
    expect((await order("--yes")).code).toBe(7);
    expect((await order("--once --idempotency-key mine")).code).toBe(2);
  });

  it("warns of a build nobody can fetch, and refuses it with --check-build", async () => {
    const { body } = await fixture.owner.post("/games", { name: "Gone", buildUrl: "http://127.0.0.1:9/build.zip" });
    const id = body.data.game.id;
    const strict = await fixture.run(`order ${id} --check-build --yes`);
    expect([strict.code, strict.stderr]).toEqual([1, expect.stringContaining("cannot be reached. Nothing was ordered.")]);
    const lax = await fixture.run(`order ${id} --yes`);
    expect([lax.code, lax.stderr]).toEqual([
      0,
      expect.stringContaining("warning: The build at http://127.0.0.1:9/build.zip cannot be reached."),
    ]);
  });
});

describe("an order left unpaid", () => {
  const poor = async () => {
    const owner = await registerOwner(fixture.server);
    const { body } = await owner.post("/games", { name: "Poor", buildUrl: `${fixture.server.baseUrl}/b.zip` });
    return { owner, line: `order ${body.data.game.id} --yes` };
  };

  it("is not sent where the server's quote says it cannot be paid", async () => {
    const { owner, line } = await poor();
    const { code, stderr } = await fixture.run(line, { key: owner.key });
    expect([code, stderr]).toEqual([7, expect.stringContaining("Nothing was ordered")]);
  });

  it.each([
    ["is a success with --allow-pending", "--allow-pending", 0],
    ["by card prints where to pay, and exits 7", "--pay card", 7],
    ["by card with --allow-pending", "--pay card --allow-pending", 0],
  ])("%s", async (_, flags, expected) => {
    const { owner, line } = await poor();
    const { code, stdout } = await fixture.run(`${line} ${flags} --json`, { key: owner.key });
    expect(code).toBe(expected);
    expect(JSON.parse(stdout)).toMatchObject({ requiresPayment: true, playtest: { status: "pending_payment" } });
    expect("checkoutUrl" in JSON.parse(stdout)).toBe(flags.includes("card"));
  });

  it("is paid by `pay`", async () => {
    const { stdout } = await fixture.run(`order ${fixture.gameId} --pay card --yes --allow-pending --json`);
    const { id } = JSON.parse(stdout).playtest;
    expect((await fixture.run(`pt get ${id} --json`)).stdout).toContain("pending_payment");
    const paid = await fixture.run(`playtests pay ${id} --method credit --max-cost 20`, { tty: true });
    expect([paid.code, paid.stdout]).toEqual([0, expect.stringMatching(/paid with +\$20\.00 credit\nremaining +\$480\.00/)]);
    const again = await fixture.run(`playtests pay ${id} --method credit --yes`);
    expect([again.code, again.stderr]).toEqual([6, expect.stringContaining("is active. No payment is due")]);
  });
});

describe("looking", () => {
  it("prices an order without placing it", async () => {
    const { stdout } = await fixture.run(`playtests quote ${fixture.gameId} --quantity 5 --duration-minutes 30`, { tty: true });
    expect(stdout).toMatchInlineSnapshot(`
      "total              $75.00
      price per slot     $15.00
      payout per slot    $5.00
      minutes needed     150
      minutes available  0
      balance            $500.00
      would pay with     credit
      funds missing      $0.00
      "
    `);
    expect(await playtests()).toEqual([]);
  });

  it("lists, of one game and of all", async () => {
    const id = await fixture.order({ quantity: 2 });
    const playtester = await registerPlaytester(fixture.server);
    await claim(playtester, id);
    const one = await fixture.run(`playtests list ${fixture.gameId}`, { tty: true, columns: 120 });
    expect(named(one.stdout, { ID: id })).toMatchInlineSnapshot(`
      "ID        STATUS  SLOTS                DURATION  PLAYERS  KIND     SELECTION  PRICE PER SLOT  ORDERED  PLAYED AT
      ID        active  1 reserved, 1 other  60 min    1        private  automatic  $20.00          now
      "
    `);
    const all = await fixture.run("playtests list --all-games");
    expect(named(all.stdout, { ID: id })).toMatchInlineSnapshot(`
      "ID	Lantern Deep	active	1 reserved, 1 open	60 min	1	private	automatic	$20.00	2026-03-01T12:00:00.000Z	
      "
    `);
  });

  it("says of a list of all games whether --limit left some out, and that it has no cursor", async () => {
    for (const _ of [1, 2, 3]) await fixture.order();
    const page = async (more: string) => JSON.parse((await fixture.run(`playtests list --all-games ${more}--json`)).stdout).page;
    expect([await page("--limit 2 "), await page("--limit 3 "), await page("")]).toEqual([
      { cursor: null, hasMore: true, fetched: 2 },
      { cursor: null, hasMore: false, fetched: 3 },
      { cursor: null, hasMore: false, fetched: 3 },
    ]);
    const refused = await fixture.run("playtests list --all-games --cursor x");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--cursor works for one list")]);
  });

  it("pay: names the ways to pay where there is nobody to ask", async () => {
    const { code, stderr } = await fixture.run(`playtests pay ${fixture.gameId}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Pass --method credit|hours|card|x402.")]);
  });

  it("shows one, and its slots", async () => {
    const id = await fixture.order({ notesForTesters: "Loud\u001b[31m" });
    expect(named((await fixture.run(`playtests show ${id}`, { tty: true })).stdout)).toMatchInlineSnapshot(`
      "playtest          UUID
      game              Lantern Deep
      status            active
      slots             1 open
      slots ordered     1
      duration          60 min
      players per slot  1
      kind              private
      offered to        everyone
      selection         automatic
      price per slot    $20.00
      payout per slot   $10.00
      notes             Loud\\u001b[31m
      ordered           now
      "
    `);
    const { slots } = (await fixture.json(`playtests slots ${id}`)) as unknown as { slots: { status: string }[] };
    expect(slots.map(({ status }) => status)).toEqual(["open"]);
  });

  it("slots: a deadline is shown while it matters, and in JSON always", async () => {
    const id = await fixture.order({ quantity: 2 });
    const tester = await registerPlaytester(fixture.server);
    await claim(tester, id);
    const submitted = await play(fixture.server, await registerPlaytester(fixture.server), id);
    await fixture.run(["review", "accept", submitted, "--yes"]);
    const { stdout } = await fixture.run(["playtests", "slots", id, "--csv"]);
    const [head, ...rows] = stdout
      .trim()
      .split("\n")
      .map((line) => line.split(","));
    const column = head!.indexOf("deadline");
    expect(rows.map((row) => [row[1], row[column] !== ""]).sort()).toEqual([
      ["accepted", false],
      ["reserved", true],
    ]);
    const { slots } = (await fixture.json(`playtests slots ${id}`)) as unknown as { slots: { deadlineAt: string | null }[] };
    expect(slots.map(({ deadlineAt }) => deadlineAt)).not.toContain(null);
  });

  it.each(["show", "slots", "cancel", "update --notes-for-testers x"])(
    "%s of a playtest that is not there is exit 3",
    async (verb) => {
      const [name, ...flags] = verb.split(" ");
      const { code, stdout } = await fixture.run(["playtests", name!, "019a0000-0000-7000-8000-000000000000", ...flags, "--yes"]);
      expect([code, stdout]).toEqual([3, ""]);
    },
  );
});

describe("changing", () => {
  it("updates the notes", async () => {
    const id = await fixture.order();
    expect(await fixture.json(`playtests update ${id} --notes-for-testers Louder`)).toMatchObject({
      playtest: { notesForTesters: "Louder" },
    });
    expect((await fixture.run(`playtests update ${id}`)).code).toBe(2);
  });

  it("cancels only when told to, and says what came back", async () => {
    const id = await fixture.order({ quantity: 2 });
    expect((await fixture.run(`playtests cancel ${id}`)).code).toBe(2);
    expect(await fixture.json(`playtests cancel ${id} --yes`)).toMatchObject({
      refundedCents: 4_000,
      playtest: { status: "cancelled" },
    });
    expect(await balance()).toBe(50_000);
  });

  it("cancels slots, each by itself; one that is claimed fails and the rest go on", async () => {
    const id = await fixture.order({ quantity: 3 });
    const held = await claim(await registerPlaytester(fixture.server), id);
    const { slots } = (await fixture.json(`playtests slots ${id}`)) as unknown as { slots: { id: string; status: string }[] };
    const free = slots.filter(({ status }) => status === "open").map((slot) => slot.id);
    const ran = await fixture.run(`playtests cancel-slot ${held} ${free.join(" ")} --yes --json`);
    expect(ran.code).toBe(11);
    expect(JSON.parse(ran.stdout).result).toMatchObject({
      cancelled: [{ id: free[0] }, { id: free[1] }],
      failed: [{ id: held, code: "CONFLICT", exitCode: 6 }],
      refundedCents: 4_000,
    });
    expect((await fixture.run(`playtests cancel-slot ${held} --yes`)).code).toBe(6);
  });
});

describe("keys", () => {
  const outOfKeys = async () => {
    const id = await fixture.order({ keysForTesters: ["AAAA-BBBB-1111"] });
    const person = await registerPlaytester(fixture.server);
    await person.post(`/playtester/slots/${await claim(person, id)}/release`);
    return id;
  };

  it("list: masks them, and shows them whole when asked", async () => {
    const id = await outOfKeys();
    const { stdout } = await fixture.run(`playtests keys list ${id}`, { tty: true });
    expect(stdout.replace(/\b[0-9a-f]{8}\b/, "SHORT-ID")).toMatchInlineSnapshot(`
      "KEY    STATUS   SLOT      RETIRED
      …1111  retired  SHORT-ID  now
      "
    `);
    expect((await fixture.run(`playtests keys list ${id} --reveal --jq .keys[].key`)).stdout).toBe("AAAA-BBBB-1111\n");
    expect((await fixture.run(`playtests keys list ${await fixture.order()}`, { tty: true })).stderr).toContain("no game keys");
  });

  it("add: from a file, and says what is still missing", async () => {
    const id = await outOfKeys();
    const status = () => fixture.run("status", { tty: true });
    expect(await status()).toMatchObject({
      stdout: expect.stringMatching(/playtests out of keys +1/),
      stderr: `1 playtest has open slots without game keys:\n  playtest playtests keys add ${id} --file keys.txt\n`,
    });
    const file = join(testFolder(), "keys.txt");
    writeFileSync(file, "CCCC-DDDD-2222\r\n\n");
    const { code, stdout, stderr } = await fixture.run(["playtests", "keys", "add", id, "--file", file], { tty: true });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatchInlineSnapshot(`
      "keys added   1
      keys left    1
      keys needed  1
      "
    `);
    expect((await status()).stdout).toMatch(/playtests out of keys +0/);
    const pair = await fixture.order({ playerCount: 2, keysForTesters: ["K-1", "K-2"] });
    const person = await registerPlaytester(fixture.server);
    await person.post(`/playtester/slots/${await claim(person, pair)}/release`);
    const short = await fixture.run(`playtests keys add ${pair} K-3`);
    expect([short.code, short.stderr]).toEqual([
      0,
      "The open slots need 1 more key. Nobody can claim a slot without its keys.\n",
    ]);
  });

  it.each([
    ["no keys", "", "At least one game key is required."],
    ["keys and a file", "K-1 --file -", "Game keys and --file cannot be used together."],
  ])("add: refuses %s", async (_, words, message) => {
    const ran = await fixture.run(`playtests keys add ${await fixture.order()} ${words}`.trim());
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each(["key\nK-1\n", "Keys,Status\nK-1,unused\n", '"Steam key"\r\nK-1\r\n'])(
    "add: refuses a table of keys: %j",
    async (stdin) => {
      const id = await fixture.order();
      const ran = await fixture.run(`playtests keys add ${id} --file -`, { stdin });
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("is the heading of a table, not a game key")]);
      expect((await fixture.owner.get(`/playtests/${id}/keys`)).body.data.keys).toEqual([]);
      expect((await fixture.run(`playtests keys add ${id} --file -`, { stdin: "KEY-1\nkeys of mine\n" })).code).toBe(0);
    },
  );

  it.each(["", " --yes"])("review cancel%s: leaves a slot without a reported problem alone", async (flags) => {
    const slotId = await claim(await registerPlaytester(fixture.server), await fixture.order());
    const { code, stderr } = await fixture.run(`review cancel ${slotId}${flags}`, { tty: true });
    const short = slotId.slice(-8);
    expect([code, stderr]).toEqual([
      6,
      `error: No problem is reported for slot ${short}: it is reserved. Nothing was changed.\n`,
    ]);
    expect((await fixture.owner.getSlot({ params: { id: slotId } })).slot.status).toBe("reserved");
  });

  it("unblock: gives the playtester a new key, which no log shows", async () => {
    const id = await fixture.order({ keysForTesters: ["OLD-KEY-0000"] });
    const person = await registerPlaytester(fixture.server);
    const slotId = await claim(person, id);
    await person.post(`/playtester/slots/${slotId}/report`, { reasonCode: "key_invalid" });
    const { code, stdout, stderr } = await fixture.run(`review unblock ${slotId} --key NEW-KEY-1111 --message Sorry --debug`);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(/NEW-KEY/);
    expect((await person.get(`/playtester/slots/${slotId}`)).body.data.slot.keys).toEqual(["NEW-KEY-1111"]);
  });

  it("unblock: says when a key that was reported as invalid stays", async () => {
    const id = await fixture.order({ keysForTesters: ["OLD-KEY-0000"] });
    const person = await registerPlaytester(fixture.server);
    const slotId = await claim(person, id);
    await person.post(`/playtester/slots/${slotId}/report`, { reasonCode: "key_invalid" });
    const { code, stderr } = await fixture.run(`review unblock ${slotId}`);
    expect([code, stderr]).toEqual([
      0,
      "The playtester reported a game key that does not work, and still has it: no new one was passed with --key.\n",
    ]);
    expect((await person.get(`/playtester/slots/${slotId}`)).body.data.slot.keys).toEqual(["OLD-KEY-0000"]);
  });
});
