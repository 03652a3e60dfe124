import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { MailRefused } from "../../server/mail/mailer.ts";
import { flagPayment } from "../helpers/billing.ts";
import { testFolder } from "../helpers/cli.ts";
import { openWallet } from "../helpers/crypto.ts";
import { play, registerOwner, registerPlaytester, videoBytes } from "../helpers/factories.ts";
import { startHosted } from "../helpers/hosted.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { startPeertube } from "../helpers/peertube.ts";
import { failedJob } from "../helpers/rightful-requests.ts";

const fixture = eachOwnerFixture();
let key: string;
beforeEach(async () => {
  key = (await ensureAdmin(fixture.server.deps))!;
});
const admin = (line: string | readonly string[]) =>
  fixture.run(typeof line === "string" ? `admin ${line}` : ["admin", ...line], { key });
const data = async (line: string) => {
  const { code, stdout, stderr } = await admin(`${line} --json`);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};
const email = async (id: string) => (await data("users --all")).users.find((user: { id: string }) => user.id === id).email;

describe("admin", () => {
  it.each(["connect", "disconnect"])("admin publishing %s refuses a platform that is not known", async (verb) => {
    const { code, stderr } = await admin(`publishing ${verb} vimeo --yes`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Unknown platform "vimeo".\nSupported: youtube, peertube.')]);
  });

  it("admin publishing connect peertube: reads the password from standard input, and shows it nowhere", async () => {
    const peertube = await startPeertube();
    const line = `admin publishing connect peertube --instance ${peertube.url} --username moon --password-file - --channel playtests`;
    const { code, stdout, stderr } = await fixture.run(line, { key, stdin: "correct horse\n" });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Connected to PeerTube as moon@127\.0\.0\.1:\d+\.$/m)]);
    expect(stdout + stderr).not.toContain("correct horse");
    peertube.oneTimeCode = "123456";
    expect(await fixture.run(line, { key, stdin: "correct horse\n" })).toMatchObject({ code: 6, stdout: "" });
    expect((await fixture.run(`${line} --one-time-code 123456`, { key, stdin: "correct horse\n" })).code).toBe(0);
    expect((await admin("publishing disconnect peertube --yes")).stdout).toContain("not connected");
  });

  it.each([
    ["peertube --device", "--device is for YouTube."],
    ["youtube --one-time-code 1", "--one-time-code is for PeerTube."],
    ["peertube --instance videos.example.org", "Pass --username."],
  ])("admin publishing connect %s is refused", async (words, said) => {
    expect(await admin(`publishing connect ${words}`)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
  });

  it("playtests: are found by the name of their game, and one shows each of its slots", async () => {
    const { server, owner, gameId } = fixture;
    const id = await fixture.order();
    const ann = await registerPlaytester(server, "Ann");
    const slotId = await play(server, ann, id);
    const { name } = (await owner.getGame({ params: { id: gameId } })).game;
    const { playtests } = await data(`playtests --search ${name.slice(0, 4).toLowerCase()}`);
    expect(playtests).toMatchObject([{ id, gameName: name, heldCents: 2000, slots: { submitted: 1, open: 0 } }]);
    expect((await data("playtests --search nothing")).playtests).toEqual([]);
    const shown = await fixture.run(`admin playtests show ${id}`, { key, tty: true });
    expect(shown.stdout).toMatch(new RegExp(`each slot +${slotId.slice(-8)} submitted Ann\\n`));
    expect(shown.stdout).toMatch(/held +\$20\.00\n/);
    expect(JSON.parse((await admin(`playtests show ${id} --json=id`)).stdout)).toEqual({ playtest: { id } });
  });

  it("admin approvals: approves and rejects a pending approval by its listed id", async () => {
    expect((await admin("approvals")).stdout).toBe("");
    const trial = await fixture.order({ isFreePublicTrial: true });
    expect((await admin("approvals")).stdout).toMatch(new RegExp(`^${trial}\tfree trial\tLantern Deep\t`));
    expect(await data(`approvals approve ${trial.slice(-8)}`)).toMatchObject({ playtest: { id: trial } });
    expect((await admin(`approvals approve ${trial}`)).code).toBe(3);
    const pim = await registerPlaytester(fixture.server, "Pim");
    const slotId = await play(fixture.server, pim, trial);
    await fixture.owner.post(`/playtests/slots/${slotId}/accept`);
    const shown = await admin(`approvals show ${slotId.slice(-8)}`);
    expect(shown.stdout).toMatch(/^video\thttp.*\/downloads\?token=/m);
    const { videoUrl } = (await data(`approvals show ${slotId}`)).approval;
    expect(Buffer.from(await (await fetch(videoUrl)).arrayBuffer()).equals(videoBytes())).toBe(true);
    const rejected = await admin(["approvals", "reject", slotId, "--reason", "No sound", "--json=status"]);
    expect(JSON.parse(rejected.stdout)).toEqual({ slot: { status: "rejected" } });
  });

  it("admin users: finds accounts by email address, suspends and unsuspends them", async () => {
    const address = await email(fixture.owner.id);
    expect(await data(`users --email ${address}`)).toMatchObject({ users: [{ id: fixture.owner.id, role: "game_owner" }] });
    expect((await data(`users suspend ${address}`)).user.suspendedAt).not.toBe(null);
    expect(await fixture.run("billing balance")).toMatchObject({ code: 5, stderr: expect.not.stringContaining("scopes") });
    expect((await data(`users unsuspend ${fixture.owner.id}`)).user.suspendedAt).toBe(null);
    expect((await fixture.run("billing balance")).code).toBe(0);
    expect((await admin("users suspend nobody@example.com")).code).toBe(3);
    expect((await data("users --role playtester")).users).toEqual([]);
  });

  it("admin invite: one command for a file of 200 people, safe to repeat, with what became of each row", async () => {
    const folder = testFolder();
    const people = Array.from({ length: 198 }, (_, index) => `tester${index}@example.net,,`);
    const known = await email(fixture.owner.id);
    const rows = ["Email,Role,Name", ...people, `${known},owner,Ada`, "olga@example.net,owner,Olga"];
    writeFileSync(join(folder, "testers.csv"), rows.join("\n"));
    const invite = () => fixture.run("admin invite testers.csv", { key, cwd: folder });
    const first = await invite();
    expect([first.code, first.stderr]).toEqual([0, "Invited 199 people. The emails are on their way.\n"]);
    const lines = first.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(200);
    expect(lines[0]).toMatch(/^2\ttester0@example.net\ttester\tinvited\t/);
    expect(lines[198]).toBe(`200\t${known}\towner\thas an account\t`);
    expect(lines[199]).toMatch(/^201\tolga@example.net\towner\tinvited\t/);
    const again = await invite();
    expect(again.stderr).toBe("Nobody was invited: there was nothing to send.\n");
    expect(again.stdout.split("\n").filter((line) => line.includes("\talready invited\t"))).toHaveLength(199);
    expect((await data("invitations --all")).invitations).toHaveLength(199);
    expect((await data("invitations revoke olga@example.net")).invitation.state).toBe("revoked");
    expect((await admin("invitations revoke nobody@example.net")).code).toBe(3);
  });

  it.each([
    [
      "email,role\nada@,owner\nbob@example.net,boss\n",
      /Line 2: "ada@" is not an email address.[\s\S]*Line 3: the role must be tester or owner/,
    ],
    ["email\n", /names nobody/],
    [
      "E-Mail,Name\n\u200bada@example.com,Ada\nada@müller.example,Ada\nada@exa mple.com,Ada\n",
      /Line 2: "\\u200bada@example\.com" is not an email address\.\nLine 4: "ada@exa mple.com" is not an email address\.\nNobody was invited\./,
    ],
    [
      `email\n${Array.from({ length: 240 }, (_, index) => `t${index}@example.net`).join("\n")}\nada@ex_ample.com\n`,
      /^[^\n]*Line 242: "ada@ex_ample\.com" is not an email address\.\nNobody was invited\./,
    ],
    [
      "E-Mail;Rolle\nada@example.com;owner\n",
      /testers\.csv: the column "Rolle" is not known\. Nobody was invited\.\nThe columns are email, role and name[^\n]*--ignore-columns/,
    ],
    ["Email,Address\nada@example.com,Kai 1\n", /"Email" and "Address" both give the column email\. Nobody was invited\./],
    ["person,role\nada@example.com,owner\n", /there is no column email, only person, role\. Nobody was invited\./],
  ])("admin invite: refuses the file %j whole", async (text, said) => {
    const folder = testFolder();
    writeFileSync(join(folder, "testers.csv"), text);
    const { code, stderr } = await fixture.run("admin invite testers.csv", { key, cwd: folder });
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
    expect((await data("invitations")).invitations).toEqual([]);
  });

  it("admin invite: understands how spreadsheets call the column, and converts domains", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "testers.csv"), "E-Mail Address;Name\nada@müller.example\u200b;Ada\n");
    const { code, stdout } = await fixture.run("admin invite testers.csv", { key, cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^2\tada@xn--mller-kva\.example\ttester\tinvited\t/)]);
  });

  it("admin invite: leaves out columns that are named or begin with #", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "testers.csv"), "#|E-Mail|Phone number|Address\n1|ada@example.com|12|Kai 1\n");
    const line = ["admin", "invite", "testers.csv", "--ignore-columns", "phone-number,address"];
    const { code, stdout } = await fixture.run(line, { key, cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^2\tada@example\.com\ttester\tinvited\t/)]);
  });

  it("admin mail: lists an email that was refused, and sends it again", async () => {
    fixture.server.refusals.set("gone@example.net", new MailRefused("550 5.1.1 No such mailbox"));
    await admin("invite --email gone@example.net");
    await fixture.server.advance(0);
    expect((await admin("invitations")).stdout).toMatch(/gone@example\.net.*not delivered/);
    expect((await fixture.run("status", { key })).stderr).toContain(
      "1 email could not be sent:\n  playtest admin mail list --state failed",
    );
    expect((await admin("mail list --state failed")).stdout).toMatch(
      /gone@example\.net\t.*\tfailed\t1\t.*550 5\.1\.1 No such mailbox/,
    );
    fixture.server.refusals.clear();
    const retried = await admin("mail retry --all");
    expect([retried.code, retried.stderr]).toEqual([0, "1 email will be sent in a moment.\n"]);
    await fixture.server.advance(0);
    expect(fixture.server.mails.at(-1)!.to).toBe("gone@example.net");
    expect((await admin("mail retry --all")).stderr).toBe("No email was sent again.\n");
    expect((await admin("mail retry")).code).toBe(2);
  });

  it("admin mail retry and jobs retry: go on after one that fails, and list what was retried", async () => {
    for (const address of ["gone@example.net", "left@example.net"]) {
      fixture.server.refusals.set(address, new MailRefused("550 5.1.1 No such mailbox"));
      await admin(`invite --email ${address}`);
    }
    await fixture.server.advance(0);
    const mails = (await data("mail list --state failed")).mails.map(({ id }: { id: string }) => id);
    const job = await failedJob(fixture.server);
    const unknown = "019a0000-0000-7000-8000-000000000000";
    for (const [line, done] of [
      [`mail retry ${mails[0]} ${unknown} ${mails[1]}`, mails],
      [`jobs retry ${unknown} ${job}`, [job]],
    ]) {
      const planned = JSON.parse((await admin(`${line} --dry-run --json`)).stdout);
      expect([line, planned.requests.length]).toEqual([line, done.length + 1]);
      const { code, stdout } = await admin(`${line} --json`);
      const { result, failed } = JSON.parse(stdout);
      expect([code, result.map(({ id }: { id: string }) => id), failed]).toEqual([
        11,
        done,
        [expect.objectContaining({ id: unknown, code: "NOT_FOUND" })],
      ]);
    }
  });

  it("admin jobs: says what a job that failed for good was for, and runs it again", async () => {
    const id = await failedJob(fixture.server);
    expect((await fixture.run("status", { key })).stderr).toContain("1 background job failed for good:\n  playtest admin jobs");
    expect((await data("jobs")).jobs).toMatchObject([
      {
        id,
        kind: "transcribe",
        purpose: "transcribe a video",
        about: { slotId: expect.any(String) },
        error: "Error: gone",
        tries: 25,
      },
    ]);
    const retried = await admin(`jobs retry ${id}`);
    expect([retried.code, retried.stderr]).toEqual([0, "1 job will run in a moment.\n"]);
    await fixture.server.advance(0);
    expect((await data("jobs")).jobs).toEqual([]);
    expect((await admin("jobs retry --all")).stderr).toBe("No job was queued again.\n");
  });

  it("admin commands take the name of an account that only one has", async () => {
    await registerPlaytester(fixture.server, "Pim Vos");
    const twins = [await registerPlaytester(fixture.server, "Twin"), await registerPlaytester(fixture.server, "twin")];
    expect((await data("users --search PIM")).users).toMatchObject([{ displayName: "Pim Vos" }]);
    const suspended = await fixture.run(["admin", "users", "suspend", "pim vos", "--json"], { key });
    expect(JSON.parse(suspended.stdout).user).toMatchObject({ displayName: "Pim Vos", suspendedAt: expect.any(String) });
    const several = await admin("users suspend Twin");
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('2 accounts are called "Twin".')]);
    for (const twin of twins) expect(several.stderr).toContain(await email(twin.id));
    expect((await admin("users suspend Nobody")).code).toBe(3);
  });

  it("admin grant: grants credit and playtest minutes with a note", async () => {
    const address = await email(fixture.owner.id);
    const granted = await admin(`grant ${address} --credit 5 --note goodwill`);
    expect(granted).toMatchObject({ code: 0, stdout: `${address} now has $505.00 credit and 0 playtest minutes.\n` });
    expect(await data(`grant ${address} --minutes 90 --note sorry`)).toMatchObject({ playtestMinutes: 90 });
  });

  it("admin payouts and stats: record a payout and its failure, and count it", async () => {
    const nobody = await fixture.run("admin payouts create --amount 1", { key, tty: true });
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining("There is no user to choose from.")]);
    const pim = await registerPlaytester(fixture.server, "Pim");
    const slotId = await play(fixture.server, pim, await fixture.order());
    await fixture.owner.post(`/playtests/slots/${slotId}/accept`);
    expect((await admin(`payouts create ${pim.id} --amount 10`)).code).toBe(2);
    const { payout } = await data(`payouts create ${await email(pim.id)} --amount 10 --yes`);
    expect(payout).toMatchObject({ userId: pim.id, amountCents: 1000, status: "completed" });
    expect((await admin(`payouts create ${pim.id} --amount 1 --yes`)).code).toBe(6);
    expect(await data(`payouts fail ${payout.id}`)).toMatchObject({ payout: { status: "failed" } });
    expect((await data("payouts")).payouts).toHaveLength(1);
    expect(await data("stats")).toMatchObject({ owners: 1, playtesters: 1, games: 1, payableCents: 1000 });
  });

  it("admin owed and payouts: pay everybody with a file, and record what became of it", async () => {
    const cwd = testFolder();
    const run = (line: string) => fixture.run(`admin ${line}`, { key, cwd });
    const password = "correct horse";
    const people = [];
    for (const [name, details] of [
      ["Ann", { method: "bank", holder: "=Ann", iban: "NL91ABNA0417164300" }],
      ["Bob", { method: "bank", holder: "Bob, Ltd", accountNumber: "12345678", routingNumber: "021000021" }],
      ["Cyd", { method: "paypal", email: "+cyd@example.com" }],
      ["Dan", undefined],
    ] as const) {
      const person = await registerPlaytester(fixture.server, name);
      people.push(person);
      await fixture.owner.post(`/slots/${await play(fixture.server, person, await fixture.order())}/accept`);
      if (details) await person.post("/playtester/payout-details", { ...details, password });
    }
    const owed = await fixture.run("admin owed", { key, tty: { stdout: true }, cwd });
    expect(owed.stdout.trimEnd().split("\n").at(-1)!.trim().split(/ {2,}/)).toEqual([
      "all 4",
      "$40.00",
      "$0.00",
      "$0.00",
      "$40.00",
    ]);
    expect((await data("owed")).totals).toMatchObject({ playtesters: 4, balanceCents: 4000 });
    expect(owed.stdout).toContain("no details");
    const file = join(cwd, "bank.csv");
    for (const [flags, question] of [
      [
        "--min 10 --format bank",
        "Make 2 pending payouts, $20.00 in total: all that is available to each playtester who can be paid?",
      ],
      ["--format paypal", "Make 1 pending payout, $10.00 in total: all"],
      ["", "Make 3 pending payouts, $30.00 in total: all"],
      ["--min 10.01", "error: Nobody can be paid in this way now. No payout was made.\nTo see why: `playtest admin owed`.\n"],
    ] as const) {
      const asked = await run(`payouts create --all ${flags}`.trim());
      const isQuestion = question.startsWith("Make");
      expect([flags, asked.code, asked.stderr]).toEqual([flags, isQuestion ? 2 : 6, expect.stringContaining(question)]);
      expect(asked.stderr.includes("Pass --yes")).toBe(isQuestion);
    }
    const created = await run(`payouts create --all --min 10 --format bank --file ${file} --yes`);
    const notes = created.stderr.replace(
      /^warning: .*formula, so it begins with ': PO-[0-9A-F]{12}\. .*--raw-cells.*\n/m,
      "WARNED\n",
    );
    expect(notes).toBe(
      `Made 2 pending payouts of $20.00.\nNot paid: 1 playtester with no payout details.\nNot paid: 1 playtester with another payout method.\nWARNED\nWrote ${file}. It contains payout details: delete it when the money is sent.\n`,
    );
    const text = readFileSync(file, "utf8");
    const [header, ...lines] = text.trimEnd().split(/\r?\n/);
    expect(header).toBe("reference,account holder,iban,account number,routing number,amount,currency,note");
    const withoutReference = lines.map((line) => line.replace(/^PO-[0-9A-F]{12}/, "PO")).sort();
    expect(withoutReference).toEqual([
      'PO,"Bob, Ltd",,12345678,021000021,10.00,USD,Playtest earnings',
      "PO,'=Ann,NL91ABNA0417164300,,,10.00,USD,Playtest earnings",
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [{ id: batch }] = (await data("payouts batches")).batches;
    expect((await run(`payouts file ${batch} --format bank --raw-cells`)).stdout).toContain(",=Ann,NL91ABNA0417164300,");
    const references = lines.map((line) => line.slice(0, 15));
    writeFileSync(
      join(cwd, "returned.csv"),
      `Reference,Status,Amount,Reason\n${references[0]},paid,10.00,\n${references[1]},failed,10.00,Closed\nPO-000000000000,paid,1,\n`,
    );
    const others = Array.from({ length: 600 }, (_, at) => `PO-${String(at).padStart(12, "0")},paid`);
    const repeating = [`${references[0]},paid`, ...others, `${references[0]},failed`].join("\n");
    writeFileSync(join(cwd, "repeating.csv"), `reference,status\n${repeating}\n`);
    const repeated = (await run(`payouts settle ${batch} --file repeating.csv`)).stdout.split("\n");
    expect([repeated[0], repeated.at(-2)].map((line) => line!.split("\t").slice(0, 3).join(" "))).toEqual([
      `2 ${references[0]} paid`,
      `603 ${references[0]} not recorded: repeated in the file`,
    ]);
    writeFileSync(join(cwd, "waiting.csv"), `Reference ID,Status\n${references[1]},Unclaimed\n`);
    const waiting = await run(`payouts settle ${batch} --file waiting.csv`);
    expect([waiting.code, waiting.stdout]).toEqual([0, expect.stringContaining(`2\t${references[1]}\tstill pending`)]);
    const settled = await run(`payouts settle ${batch} --file returned.csv`);
    expect([settled.code, settled.stderr]).toEqual([11, expect.stringContaining("1 row of returned.csv was not recorded.")]);
    expect(settled.stdout.split("\n").map((line) => line.split("\t").slice(0, 3).join(" "))).toEqual([
      `2 ${references[0]} was recorded as paid before`,
      `3 ${references[1]} failed, owed again`,
      "4 PO-000000000000 not recorded: not in this batch",
      "",
    ]);
    const shown = await run(`payouts show ${batch}`);
    expect(shown.stderr).toBe("2 payouts, $20.00: 0 pending ($0.00), 1 completed ($10.00), 1 failed ($10.00).\n");
    expect((await data("payouts --status failed")).payouts).toMatchObject([{ failure: "Closed" }]);
    writeFileSync(join(cwd, "wrong.csv"), `reference,status\n${references[0]},maybe\n`);
    expect((await run(`payouts settle ${batch} --file wrong.csv`)).stderr).toContain(
      'wrong.csv, line 2: the status "maybe" is not known.',
    );
    const paypal = await data("payouts create --all --format paypal --yes");
    const printed = await run(`payouts file ${paypal.batch.id} --format paypal`);
    expect(printed.stdout).toMatch(/^\+cyd@example\.com,10\.00,USD,PO-[0-9A-F]{12},Playtest earnings\n$/);
    const masses = join(cwd, "paypal.csv");
    const written = await run(`payouts file ${paypal.batch.id} --format paypal --file ${masses}`);
    expect(written.stdout).toBe(`Wrote ${masses}. It contains payout details: delete it when the money is sent.\n`);
    const again = await run(`payouts file ${paypal.batch.id} --format paypal --file ${masses}`);
    expect(again.stderr).toContain("it already exists.\nNothing was done. This command never overwrites an existing file.");
    const [pending] = (await data(`payouts --batch ${paypal.batch.id}`)).payouts;
    expect(await data(`payouts paid ${pending.id}`)).toMatchObject({ payout: { status: "completed" } });
    expect((await run("payouts create --all --file x.csv --yes")).stderr).toContain("--file requires --format.");
    expect((await run(`payouts create ${people[0]!.id} --min 5 --amount 1`)).stderr).toContain("--min requires --all.");
  });

  it.each([
    ["is refused", { status: 500, data: undefined, raw: '{"error":{"code":"INTERNAL_ERROR","message":"Broken."}}' }],
    ["is lost", { lose: true as const }],
  ])("admin payouts create --file: shows the batch when the reply with the payout details %s", async (_, answer) => {
    const { server, owner } = fixture;
    const gate = await startHosted(server.baseUrl);
    gate.extend();
    gate.hooks.interfere = ({ path }) => (path.endsWith("/instructions") ? answer : undefined);
    const [pim, cwd] = [await registerPlaytester(server, "Pim"), testFolder()];
    await owner.post(`/slots/${await play(server, pim, await fixture.order())}/accept`);
    await pim.post("/playtester/payout-details", { method: "paypal", email: "pim@example.com", password: "correct horse" });
    const file = join(cwd, "paypal.csv");
    const create = `admin payouts create --all --format paypal --file ${file} --yes --json --retries 0`;
    const { code, stdout, stderr } = await fixture.run(create, { key, baseUrl: gate.baseUrl });
    await gate.close();
    const { id } = JSON.parse(stdout).batch;
    const { message, hint } = JSON.parse(stderr.trim().split("\n").at(-1)!);
    expect([code, message, readdirSync(cwd)]).toEqual([11, expect.stringContaining("Its file was not written: "), []]);
    const [, words] = /`playtest (.*)`/.exec(hint)!;
    expect(words).toBe(`admin payouts file ${id} --format paypal --file ${file}`);
    expect((await fixture.run(words!, { key })).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("pim@example.com,10.00,USD,PO-");
  });

  it("admin categories, games, chargeback: change the marketplace; a chargeback asks first", async () => {
    expect((await data(`games suspend ${fixture.gameId}`)).game.status).toBe("suspended");
    expect((await data(`games unsuspend ${fixture.gameId}`)).game.status).toBe("active");
    const before = (await admin(["categories", "list", "--json"])).stdout;
    expect([(await admin(["categories", "--json"])).stdout, JSON.parse(before).categories.length > 0]).toEqual([before, true]);
    expect(JSON.parse((await admin(["categories", "create", "Auto Battler!", "--json=name,slug"])).stdout)).toEqual({
      category: { name: "Auto Battler!", slug: "auto-battler" },
    });
    const { payments } = (await fixture.owner.get("/billing/payments")).body.data;
    expect((await admin(`chargeback ${payments[0].id}`)).code).toBe(2);
    expect(await data(`chargeback ${payments[0].id} --yes`)).toMatchObject({ payment: { status: "disputed" } });
  });

  it("admin audit: lists who did what, filtered by account and action, and exports every entry", async () => {
    const address = await email(fixture.owner.id);
    await data(`grant ${address} --credit 5 --note goodwill`);
    await data(`users suspend ${address}`);
    const { stdout } = await admin(`audit --actor admin@playtest.invalid --target ${address}`);
    const rows = stdout.trimEnd().split("\n");
    expect(rows.map((row) => row.split("\t")[3])).toEqual(["user.suspend", "balance.grant_credit"]);
    const { entries } = await data("audit --action balance.grant_credit");
    expect(entries).toMatchObject([{ details: { amountCents: 500, note: "goodwill" }, address: "127.0.0.1" }]);
    const exported = (await admin("audit --all --ndjson")).stdout.trimEnd().split("\n");
    expect(exported.map((line) => JSON.parse(line).seq)).toEqual(exported.map((_, index) => exported.length - index));
    expect((await admin("audit --actor nobody@example.com")).code).toBe(3);
    expect((await fixture.run("admin audit")).code).toBe(5);
  });

  it("admin suspense: lists unmatched deposits, credits one, and records a refund after asking", async () => {
    const wallet = await openWallet(fixture.server, fixture.owner);
    for (const by of [-1_000_000, -2_000_000]) await wallet.prove(await wallet.send(await wallet.ask(), { by }));
    const { suspense } = await data("suspense");
    expect(suspense.map(({ amountCents }: { amountCents: number }) => amountCents)).toEqual([1800, 1900]);
    const lines = (await admin("suspense")).stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/\t18\.\d+ USDC on base\tshort\t/);
    const address = await email(fixture.owner.id);
    expect(await data(`suspense resolve ${suspense[1].id} --user ${address} --rate 2 --note fine`)).toMatchObject({
      suspense: { status: "credited", amountCents: 3800, note: "fine" },
      payment: { amountCents: 3800, status: "completed" },
    });
    expect((await admin(`suspense resolve ${suspense[1].id} --note fine`)).code).toBe(6);
    expect((await admin(`suspense resolve ${suspense[0].id} --note fine`)).stderr).toContain("only named it");
    expect((await admin(`suspense refund ${suspense[0].id} --note back`)).code).toBe(2);
    expect(await data(`suspense refund ${suspense[0].id} --note back --yes`)).toMatchObject({ suspense: { status: "refunded" } });
    expect((await admin(`suspense refund ${suspense[0].id} --note back --yes`)).code).toBe(6);
    expect((await admin(`suspense resolve ${suspense[0].id}`)).stderr).toContain("--note is required");
    expect((await admin("suspense")).stdout).toBe("");
    expect(await fixture.json("billing balance")).toMatchObject({ balanceCents: 53_800 });
  });

  it("admin flagged: lists payments with what happened, and a note takes one off the list", async () => {
    const owner = await registerOwner(fixture.server, "Hearth & Co");
    const { paymentId } = (await owner.post("/billing/credit", { amountCents: 2000 })).body.data;
    await flagPayment(fixture.server, paymentId);
    expect((await admin("flagged")).stdout).toMatch(
      /\tHearth & Co\t\$20.00\tpending\t.*\trefund re_1 failed: the amount is back at the processor\n$/,
    );
    expect((await fixture.run("status", { key })).stderr).toContain("1 payment needs an operator to look at it");
    expect((await admin(`flagged clear ${paymentId.slice(0, 8)}`)).stderr).toContain("--note is required");
    expect((await admin(`flagged clear ${paymentId} --note fine`)).code).toBe(0);
    expect((await admin("flagged")).stdout).toBe("");
    expect((await admin(`flagged clear ${paymentId} --note fine`)).code).toBe(6);
  });

  it.each([
    ["grant a@example.com --credit 5", 2, "--note is required"],
    ["grant a@example.com --note x", 2, "Pass either --credit or --minutes."],
    ["users --role king", 2, "--role"],
    ["payouts create a@example.com", 2, "--amount is required"],
  ])("refuses `admin %s`", async (line, code, message) => {
    const ended = await admin(line);
    expect(ended.stderr).toContain(message);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
  });

  it("help says truly whether a command that moves money asks first, and which flags answer", async () => {
    const pim = await registerPlaytester(fixture.server, "Pim");
    const rows = [
      [`order ${fixture.gameId}`, fixture.owner.key, true],
      ["billing credit add --amount 50", fixture.owner.key, false],
      [`admin grant ${await email(fixture.owner.id)} --credit 5 --note x`, key, false],
      [`admin payouts create ${await email(pim.id)} --amount 10`, key, true],
    ] as const;
    for (const [line, caller, asks] of rows) {
      const { code, stderr } = await fixture.run(line, { key: caller });
      expect([line, code === 2 && stderr.includes("Pass --yes")]).toEqual([line, asks]);
      const help = (await fixture.run(`${line} --help`)).stdout.replace(/\s+/g, " ");
      expect([line, help.includes("(asks for confirmation;")]).toEqual([line, asks]);
      expect([line, stderr.includes("--max-cost")]).toEqual([line, help.includes("--max-cost USD")]);
    }
  });

  it("tells an account of another role whose command it is, and names no key that it could not create", async () => {
    const pim = await registerPlaytester(fixture.server, "Pim");
    const { key: ofOwner } = fixture.owner;
    const rows = [
      ["admin stats", ofOwner, "Only operators of this server can do this, and this is the account of a game owner."],
      ["tester slots", ofOwner, "Only playtesters can do this, and this is the account of a game owner."],
      ["games list", pim.key, "Only game owners can do this, and this is the account of a playtester."],
      ["tester slots", key, "Only playtesters can do this, and this is the account of an operator of this server."],
    ] as const;
    for (const [line, caller, message] of rows) {
      const { code, stderr } = await fixture.run(line, { key: caller });
      expect([line, code, stderr.split(" Nothing was changed.")[0]]).toEqual([line, 5, `error: ${message}`]);
      expect(stderr).not.toContain("keys create");
    }
    const narrow = await fixture.owner.post("/auth/api-keys", { name: "ci", scopes: ["billing"] });
    const { code, stderr } = await fixture.run("games list", { key: narrow.body.data.apiKey });
    expect([code, stderr]).toEqual([5, expect.stringContaining("`game_owner`.\nCheck the key's scopes")]);
  });
});
