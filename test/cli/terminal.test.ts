import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import * as factories from "../helpers/factories.ts";
import { codeAt, setUpFactor } from "../helpers/factors.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";
import { leaveAll, sitDown } from "../helpers/terminal.ts";

/** What only a real terminal shows: keys one by one, hidden input, and a terminal that works afterwards. */
let server: TestServer;
let owner: factories.Person;
let gameId: string;

beforeAll(async () => {
  const transcriber = fileURLToPath(new URL("../fixtures/transcriber.mjs", import.meta.url));
  server = await ownServer({
    config: (config) => void Object.assign(config.transcriber, { command: [process.execPath, transcriber, "json"] }),
  });
  owner = await factories.registerOwner(server, "Ada");
  await factories.giveCredit(server, owner, 100_000);
  gameId = await factories.createGame(owner, { name: "Moon Miner", buildUrl: `${server.baseUrl}/build.zip` });
  await factories.createGame(owner, { name: "Star Miner" });
  return server.close;
});
afterEach(leaveAll);

const sit = (argv: readonly string[], env: Record<string, string> = {}, folder = testFolder()) =>
  sitDown(folder, argv, { PLAYTEST_BASE_URL: server.baseUrl, PLAYTEST_API_KEY: owner.key, ...env });
const slot = async (id: string) => (await owner.get(`/slots/${id}`)).body.data.slot;

/** Submissions of one playtester each, the oldest first, with transcripts. */
async function submissions(...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    server.clock.set(server.clock.now() + 1_000);
    ids.push(
      await factories.play(server, await factories.registerPlaytester(server, name), await factories.order(owner, gameId)),
    );
  }
  await server.advance(60_000);
  return ids;
}

it("auth password: asks for the passwords without showing them, for the new one twice", async () => {
  const person = await factories.registerOwner(server);
  const session = sit(["auth", "password"], { PLAYTEST_API_KEY: person.key });
  await session.see("Current password:", "correct horse\r");
  await session.see("New password (at least 8 characters):", "battery staple\r");
  await session.see("New password again:", "battery stapel\r");
  await session.see("The two passwords differ. Nothing was changed.");
  expect(await session.ended).toBe(2);
  const again = sit(["auth", "password"], { PLAYTEST_API_KEY: person.key });
  await again.see("Current password:", "correct horse\r");
  await again.see("New password (at least 8 characters):", "battery staple\r");
  await again.see("New password again:", "battery staple\r");
  await again.see("The password was changed.");
  expect([await again.ended, again.restored()]).toEqual([0, true]);
  expect(session.shown + again.shown).not.toMatch(/correct|stap/);
});

it("auth register: asks again for an address that is none, before the password", async () => {
  const session = sit(["auth", "register"], { PLAYTEST_API_KEY: "" });
  await session.see("Email address:", "ada at home\r");
  await session.see("Enter an email address, such as dev@example.com.", "\u0015newcomer@example.com\r");
  await session.see("Password (at least 8 characters):", "correct horse\r");
  await session.see("The account was created.");
  expect(await session.ended).toBe(0);
});

it("auth factor enable, login and a payout: a QR code, and prompts for codes", async () => {
  const person = await factories.registerOwner(server);
  const { email } = (await person.get("/auth/me")).body.data;
  const enabling = sit(["auth", "factor", "enable"], { PLAYTEST_API_KEY: person.key });
  await enabling.see("Current password:", "correct horse\r");
  await enabling.see("▄▄▄▄▄ █");
  await enabling.see("to type into the app instead: ");
  await enabling.see("Code that the app shows:");
  const secret = /app instead: ([A-Z2-7 ]+)/.exec(enabling.shown)![1]!.replaceAll(" ", "");
  await enabling.see("", "000000\r");
  await enabling.see("The code is not correct.");
  await enabling.see("Code that the app shows:", `${codeAt(secret, server.clock.real())}\r`);
  await enabling.see("Keep these 10 recovery codes");
  expect([await enabling.ended, enabling.restored()]).toEqual([0, true]);

  await server.advance(30_000);
  const signingIn = sit(["login", "--email", email], { PLAYTEST_API_KEY: "" });
  await signingIn.see("Password:", "correct horse\r");
  await signingIn.see("recovery code:", `${codeAt(secret, server.clock.real())}\r`);
  await signingIn.see("Signed in to");
  expect(await signingIn.ended).toBe(0);

  const admin = await factories.firstAdmin(server);
  const app = await setUpFactor(server, admin);
  const code = await app.nextCode();
  const paying = sit(["admin", "grant", person.id, "--credit", "20", "--note", "sorry"], { PLAYTEST_API_KEY: admin.key });
  await paying.see("To move money, enter a code", "12\r");
  await paying.see("must have six digits");
  await paying.see("To move money, enter a code", `${code}\r`);
  await paying.see("now has $20.00 credit");
  expect([await paying.ended, paying.restored()]).toEqual([0, true]);
  const next = sit(["admin", "grant", person.id, "--credit", "1", "--note", "sorry"], { PLAYTEST_API_KEY: admin.key });
  await next.see("now has $21.00 credit");
  expect(await next.ended).toBe(0);
});

it("sandbox play: an omitted slot is picked from the open ones", async () => {
  const person = await factories.registerOwner(server);
  await factories.giveCredit(server, person, 10_000);
  await factories.order(person, await factories.createGame(person, { name: "Comet Miner" }));
  const session = sit(["sandbox", "play"], { PLAYTEST_API_KEY: person.key });
  await session.see("Which slot?");
  await session.see("Comet Miner", "\r");
  await session.see("submitted");
  expect(await session.ended).toBe(0);
});

it("a review session: play, read, reject with a retry, skip, accept, quit", async () => {
  const [ann, bo, cy, di] = (await submissions("Ann", "Bo", "Cy", "Di")) as [string, string, string, string];
  const folder = testFolder();
  writeFileSync(join(folder, "player.cjs"), `require("node:fs").writeFileSync("played", process.argv[2])`);
  const player = { PLAYTEST_PLAYER: `${process.execPath} ${join(folder, "player.cjs")}` };
  const session = sit(["review", "next"], player, folder);
  await session.see("1 of 4 submissions");
  await session.see("Ann");
  await session.see("What do you want to do?", "p");
  await session.see("Opening the video.");
  await session.see("What do you want to do?", "t");
  await session.see("[00:");
  await session.see("What do you want to do?", "r");
  await session.see("Allow a retry", "y");
  await session.see("Reason", "No sound.\r");
  await session.see("2 of 4 submissions");
  await session.see("What do you want to do?", "s");
  await session.see("3 of 4 submissions");
  await session.see("What do you want to do?", "a");
  await session.see("Rating", "4");
  await session.see("Comment", "Thanks!\r");
  await session.see("4 of 4 submissions");
  await session.see("What do you want to do?", "q");
  await session.see("1 accepted, 1 rejected, 1 skipped.");
  expect([await session.ended, session.restored()]).toEqual([0, true]);
  await expect.poll(() => existsSync(join(folder, "played")) && readFileSync(join(folder, "played"), "utf8")).toContain("token=");
  expect(await slot(ann)).toMatchObject({ status: "rejected", rejection: { reason: "No sound." } });
  expect([(await slot(bo)).status, (await slot(di)).status]).toEqual(["submitted", "submitted"]);
  expect(await slot(cy)).toMatchObject({ status: "accepted", rating: { score: 4, comment: "Thanks!" } });
});

it("Ctrl-C in the middle of a question leaves a terminal that works", async () => {
  await submissions("Eve");
  const session = sit(["review", "next"]);
  await session.see("What do you want to do?", "\u0003");
  expect([await session.ended, session.restored()]).toEqual([130, true]);
});

it.each([
  ["n\r", 1, 0],
  ["y\r", 0, 1],
])("an order is asked for with its price: %j", async (answer, code, more) => {
  const count = async () => (await owner.get(`/games/${gameId}/playtests?limit=100`)).body.data.playtests.length;
  const before = await count();
  const session = sit(["order", gameId, "--quantity", "2"]);
  await session.see("Order 2 slots of Moon Miner for $40.00?");
  await session.see("(y/N)", answer);
  expect([await session.ended, session.restored(), (await count()) - before]).toEqual([code, true, more]);
});

it("an omitted id is picked from a list that narrows as one types", async () => {
  const session = sit(["games", "show"]);
  await session.see("Star Miner");
  await session.see("Moon Miner", "moon");
  // Each key draws the list again; the last one leaves a single game in it.
  await session.see("moon");
  await session.see("Moon Miner", "\r");
  await session.see(gameId);
  expect([await session.ended, session.restored()]).toEqual([0, true]);
});

it.each([
  ["o\r", "what they name"],
  ["z\r", "nothing"],
])("keys that come at once pick what they name, or nothing: %j", async (keys, picked) => {
  const session = sit(["games", "show", "--json=name"]);
  await session.see("Star Miner");
  await session.see("Moon Miner", keys);
  await session.see("✔");
  if (picked === "nothing") await session.see("Which game?", "\u0003");
  else await session.see('"Moon Miner"');
  expect([await session.ended, session.restored()]).toEqual([picked === "nothing" ? 130 : 0, true]);
});

it("an omitted playtest is picked among those of a game, which is picked first", async () => {
  await owner.post(`/games/${gameId}/playtests`, { quantity: 7 });
  const session = sit(["playtests", "slots", "--json=id"]);
  await session.see("Which game?");
  await session.see("navigate", "moon");
  await session.see("moon");
  await session.see("Moon Miner", "\r");
  await session.see("Which playtest?");
  await session.see("7 × 60 min, active, ordered 2026-");
  await session.see("navigate", "\r");
  await session.see('"fetched": 7');
  expect([await session.ended, session.restored()]).toEqual([0, true]);
});

it("a submission to accept is picked where none is named, and only by a person who can be asked", async () => {
  const [slotId] = (await submissions("Flo")) as [string];
  const session = sit(["accept", "--rating", "5"]);
  await session.see("Which slot?");
  await session.see("Moon Miner, Flo");
  await session.see("navigate", "\r");
  await session.see("and paid Flo $10.00.");
  expect(await session.ended).toBe(0);
  expect(await slot(slotId)).toMatchObject({ status: "accepted", rating: { score: 5 } });
  const order = sit(["order", gameId], { CI: "1" });
  await order.see("Cannot prompt because CI is set.");
  expect(await order.ended).toBe(2);
});

it("games create: asks for what is missing, and checks it as a flag", async () => {
  const session = sit(["games", "create", "--languages", "en"]);
  await session.see("The game's name:", "Ember Fall\r");
  await session.see("URL of the build:", "https://example.com/ember.zip\r");
  await session.see("Created Ember Fall.");
  expect([await session.ended, session.restored()]).toEqual([0, true]);
  const wrong = sit(["games", "create", "--name", "Ember Fall"]);
  await wrong.see("URL of the build:", "ember\r");
  await wrong.see('--build-url: "ember" is not an http or https URL.');
  expect(await wrong.ended).toBe(2);
});

it("a name in a question or a list cannot drive the terminal", async () => {
  const name = "\u001b]0;owned\u0007\u001b[2J\u202eevil";
  const evil = await factories.createGame(owner, { name });
  const shown = "\\u001b]0;owned\\u0007\\u001b[2J\\u202eevil";
  const asked = sit(["order", evil]);
  await asked.see(`Order 1 slot of ${shown}`, "\u0003");
  const picked = sit(["games", "show"]);
  await picked.see(shown, "\u0003");
  for (const session of [asked, picked]) {
    expect([await session.ended, session.restored()]).toEqual([130, true]);
    for (const control of ["\u001b]0;", "\u001b[2J", "\u202e"]) expect(session.shown).not.toContain(control);
  }
});

it("a key that is typed is not shown, and is kept", async () => {
  const folder = testFolder();
  const session = sit(["login", "--with-key", "--base-url", server.baseUrl], { PLAYTEST_API_KEY: "" }, folder);
  await session.see("API key:", `${owner.key}\r`);
  await session.see("Signed in");
  expect([await session.ended, session.restored()]).toEqual([0, true]);
  expect(session.shown).not.toContain(owner.key.slice(6, 20));
  const kept = sit(["auth", "token"], { PLAYTEST_API_KEY: "" }, folder);
  await kept.see(owner.key);
  expect(await kept.ended).toBe(0);
});

it("a wait shows how it stands on a line that rewrites itself, and Ctrl-C takes it away", async () => {
  const session = sit(["playtests", "wait", await factories.order(owner, gameId)]);
  await session.see("1 open", "\u0003");
  expect([await session.ended, session.restored()]).toEqual([130, true]);
  expect(session.shown).toContain("\u001b[?25l");
});

it("tester claim asks whether a playtest at a fixed time suits", async () => {
  // Noon in UTC, however far the tests before this one moved the clock.
  const scheduledAt = `${new Date(server.clock.now() + 48 * 3_600_000).toISOString().slice(0, 10)}T12:00:00.000Z`;
  const id = await factories.order(owner, gameId, { scheduledAt });
  const tester = await factories.registerPlaytester(server, "Tess");
  await tester.updateProfile({ body: { timeZone: "Asia/Kolkata" } });
  const claiming = () => sit(["tester", "claim", id], { PLAYTEST_API_KEY: tester.key });
  const refused = claiming();
  await refused.see("17:30, Asia/Kolkata");
  await refused.see("(y/N)", "n\r");
  expect(await refused.ended).not.toBe(0);
  expect((await tester.listHeldSlots({})).slots).toEqual([]);
  const agreed = claiming();
  await agreed.see("(y/N)", "y\r");
  expect(await agreed.ended).toBe(0);
  expect((await tester.listHeldSlots({})).slots.map((held) => held.scheduledAt)).toEqual([scheduledAt]);
});
