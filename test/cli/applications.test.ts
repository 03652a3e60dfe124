import { beforeEach, describe, expect, it } from "vitest";
import { play, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture, named } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture();
let playtest: string;

/** Someone who applied, having played `accepted` playtests of this owner that were rated so. */
async function applicant(name: string, ratings: readonly number[] = []): Promise<string> {
  const person = await registerPlaytester(fixture.server, name);
  for (const rating of ratings) {
    const slotId = await play(fixture.server, person, await fixture.order());
    await fixture.owner.post(`/slots/${slotId}/accept`, { rating });
  }
  fixture.server.clock.set(fixture.server.clock.now() + 1_000);
  const reply = await person.post(`/playtester/playtests/${playtest}/applications`, { qualificationsResponse: `I am ${name}.` });
  return reply.body.data.application.id;
}

const statuses = async (): Promise<Record<string, string>> => {
  const { applications } = (await fixture.owner.get(`/playtests/${playtest}/applications`)).body.data;
  return Object.fromEntries(applications.map((one: { displayName: string; status: string }) => [one.displayName, one.status]));
};

beforeEach(async () => {
  playtest = await fixture.order({ quantity: 2, selectionMode: "manual", qualifications: "Horror." });
});

describe("applications", () => {
  it("applications list and show: print applications", async () => {
    const [ann] = [await applicant("Ann", [5, 4]), await applicant("Bo")];
    const { stdout } = await fixture.run(`applications list ${playtest}`);
    expect(named(stdout)).toMatchInlineSnapshot(`
      "UUID	pending	Bo		0		I am Bo.	2026-03-01T12:00:02.000Z
      UUID	pending	Ann	4.50	2		I am Ann.	2026-03-01T12:00:01.000Z
      "
    `);
    const shown = await fixture.json(`applications show ${playtest} ${ann}`);
    expect(shown).toMatchObject({ application: { displayName: "Ann", qualificationsResponse: "I am Ann." } });
    expect((await fixture.run(`applications show ${playtest} 019a0000-0000-7000-8000-000000000000`)).code).toBe(3);
  });

  it("applications list: 80 columns show every heading in full", async () => {
    await applicant("Ann", [5, 4]);
    const { stdout } = await fixture.run("applications list", { tty: true, columns: 80 });
    expect(stdout.split("\n")[0]!.split(/ +/).join(" ").trim()).toBe("ID GAME PLAYTEST STATUS PLAYTESTER RATING ANSWER APPLIED");
  });

  it("applications approve: approves one application without asking", async () => {
    const ann = await applicant("Ann");
    const { code, stdout } = await fixture.run(`applications approve ${ann}`, { tty: true });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Approved Ann: slot [0-9a-f]{8} is reserved, 1 slot left\.\n$/)]);
  });

  it.each([
    ["rating", ["Cy", "Ann"]],
    ["accepted", ["Ann", "Cy"]],
    ["oldest", ["Ann", "Bo"]],
  ])("applications approve --top: approves the top two by %s", async (by, expected) => {
    await applicant("Ann", [3, 3]);
    await applicant("Bo");
    await applicant("Cy", [5]);
    const { stdout, code } = await fixture.run(`applications approve --playtest ${playtest} --top 2 --by ${by} --yes --json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).result.approved.map((one: { playtester: string }) => one.playtester)).toEqual(expected);
    expect(Object.values(await statuses()).filter((status) => status === "auto_rejected")).toHaveLength(1);
  });

  it("applications reject --rest: rejects all pending applications, with a message for the email", async () => {
    await applicant("Ann");
    await applicant("Bo");
    const refused = await fixture.run(`applications reject --playtest ${playtest} --rest`);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Reject 2 applications?")]);
    const { code, stdout } = await fixture.run(`applications reject --playtest ${playtest} --rest --message Sorry! --yes`, {
      tty: true,
    });
    expect([code, stdout]).toEqual([0, "Rejected Ann.\nRejected Bo.\n"]);
    expect(await statuses()).toEqual({ Ann: "rejected", Bo: "rejected" });
  });

  it("applications approve: deciding a second time is a conflict; among several ids it is one failure", async () => {
    const [ann, bo] = [await applicant("Ann"), await applicant("Bo")];
    await fixture.run(`applications reject ${ann}`);
    expect((await fixture.run(`applications approve ${ann}`)).code).toBe(6);
    const { code, stdout } = await fixture.run(`applications approve ${ann} ${bo} --yes --json`);
    expect([code, JSON.parse(stdout).result]).toMatchObject([11, { approved: [{ playtester: "Bo" }], failed: [{ id: ann }] }]);
  });

  it.each([
    ["approve", "Missing id"],
    ["approve --top 2", "--top requires --playtest"],
    ["approve X --by rating", "require --top"],
    ["reject X --playtest Y", "requires --rest"],
    ["approve X --top 1 --playtest Y", "cannot be used together"],
  ])("refuses `%s`", async (line, message) => {
    const { code, stderr } = await fixture.run(`applications ${line}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
