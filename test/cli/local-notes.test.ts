import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startFlakyNetwork } from "../helpers/flaky-network.ts";
import { startHosted } from "../helpers/hosted.ts";
import { startHostedWorld } from "../helpers/hosted-world.ts";
import { ownServer } from "../helpers/own-server.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { startTime, type TestServer } from "../helpers/server.ts";
import { newId } from "../helpers/walk.ts";

/** Notes of a server that does not store them: they are on this computer until it does. */
let folder: string;
let address: string;
let key: string;
beforeEach(() => {
  folder = testFolder();
});
afterEach(killLeftovers);

/** Runs a command with ids of its own and the settings of the test. */
const run = (words: readonly string[], options: RunOptions = {}) =>
  playtest(["review", ...words], {
    baseUrl: address,
    key,
    outside: { newId },
    ...options,
    env: { PLAYTEST_CONFIG_DIR: folder, NO_COLOR: "1", ...options.env },
  });
const listed = async (of: string, ...flags: string[]) =>
  JSON.parse((await run(["notes", of, "--json", ...flags])).stdout).moments as Record<string, unknown>[];
const texts = async (of: string, ...flags: string[]) => (await listed(of, ...flags)).map(({ text }) => text);
const files = () => {
  const notes = join(folder, "notes");
  return readdirSync(notes).map((name) => join(notes, name));
};

describe("notes on a server without them", () => {
  let slotId: string;
  let openId: string;
  let gameId: string;
  beforeEach(async () => {
    const world = await startHostedWorld();
    address = world.hosted.baseUrl;
    key = world.owner.key;
    slotId = await world.submitted();
    openId = (await world.owner.listSlots({ params: { id: await world.order() } })).slots[0]!.id;
    gameId = world.gameId;
  });

  it("have no image: none is asked for, and none is shown", async () => {
    const added = await run(["note", slotId, "0:10", "Dark", "--still"], { tty: true });
    expect(added).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("No image was taken: it needs a server that stores notes."),
    });
    expect(await listed(slotId)).toMatchObject([{ text: "Dark", still: null }]);
  });

  it("are kept in a file that only the user can read, listed, changed and deleted", async () => {
    const flags = ["--kind", "confusion", "--severity", "2", "--tag", "menu"];
    const added = await run(["note", slotId, "12:41-12:55", "Lost", ...flags], { tty: true });
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^stored +on this computer$/m) });
    expect(added.stderr.replaceAll("\n", " ")).toBe(
      "This server does not store notes. The note is saved on this computer. To upload it later, run `playtest review notes push`. ",
    );
    expect(files().map((file) => (statSync(file).mode & 0o777).toString(8))).toEqual(["600"]);
    await run(["note", slotId, "3:05", "Falls"]);
    expect(await texts(slotId)).toEqual(["Falls", "Lost"]);
    expect(await texts(gameId, "--kind", "confusion", "--severity", "2", "--tag", "menu", "--text", "LOST")).toEqual(["Lost"]);
    expect(await texts(gameId, "--kind", "bug")).toEqual([]);
    const { id } = (await listed(slotId))[0]!;
    const edited = await run(["notes", "edit", String(id), "--at", "13:00", "--text", "Falls down", "--json"]);
    expect(JSON.parse(edited.stdout).moment).toMatchObject({ id, atMs: 780_000, text: "Falls down", kind: "note" });
    const shown = await run(["notes", slotId], { tty: true });
    expect(shown.stderr).toBe("2 notes on this computer only. To upload: `playtest review notes push`.\n");
    expect(shown.stdout.match(/on this computer$/gm)).toHaveLength(2);
    expect((await run(["notes", "delete", String(id), "--yes"])).code).toBe(0);
    expect(await texts(slotId)).toEqual(["Lost"]);
    expect(await run(["notes", "push"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Nothing was sent. Still on this computer: 1 note."),
    });
    expect(await texts(slotId)).toEqual(["Lost"]);
  });

  it("are of one instance and profile", async () => {
    await run(["note", slotId, "1:00", "Lost"]);
    writeFileSync(join(folder, "config.json"), JSON.stringify({ profiles: { other: {} } }));
    expect(JSON.parse((await run(["notes", slotId, "--json", "-P", "other"])).stdout).moments).toEqual([]);
    expect(await texts(slotId)).toEqual(["Lost"]);
  });

  it.each([
    [["note", "SLOT", "1:00", "x", "--tag", "Not A Tag"], 2, "tags.0: must be lowercase words"],
    [["note", "OPEN", "1:00", "x"], 6, "This slot has no video yet. Nothing was noted."],
    [["note", "slot_none", "1:00", "x"], 3, ""],
    [["notes", "slot_none"], 3, ""],
    [["notes", "edit", "note_none", "--text", "x"], 3, "This server does not support"],
  ])("refuses %j", async (words, code, message) => {
    const ids: Record<string, string> = { SLOT: slotId, OPEN: openId };
    const ended = await run(words.map((word) => ids[word] ?? word));
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it("are all kept when several commands note at the same time, and when one of them was killed before", async () => {
    const env = { PLAYTEST_BASE_URL: address, PLAYTEST_API_KEY: key, PLAYTEST_CONFIG_DIR: folder };
    await run(["note", slotId, "1:00", "first"]);
    const lock = `${files()[0]}.lock`;
    writeFileSync(lock, "");
    utimesSync(lock, 0, 0);
    const words = ["a", "b", "c", "d"];
    const ended = await Promise.all(
      words.map((text) => spawnPlaytest(folder, ["review", "note", slotId, "2:00", text], env).ended),
    );
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect((await texts(slotId)).toSorted()).toEqual(["a", "b", "c", "d", "first"]);
    expect(files()).toHaveLength(1);
  });
});

describe("notes on a server that gains them", () => {
  let server: TestServer;
  let owner: Person;
  let slotId: string;
  let hosted: Awaited<ReturnType<typeof startHosted>>;
  beforeAll(async () => {
    server = await ownServer();
    owner = await registerOwner(server);
    await giveCredit(server, owner, 20_000);
    return server.close;
  });
  beforeEach(async () => {
    slotId = await play(server, await registerPlaytester(server), await order(owner, await createGame(owner)));
    hosted = await startHosted(server.baseUrl, "json");
    address = hosted.baseUrl;
    key = owner.key;
  });
  afterEach(() => hosted.close());

  const onServer = async () => (await owner.get(`/slots/${slotId}/moments`)).body.data.moments;

  it("are listed with those of the server, in the same shape, until they are uploaded", async () => {
    await run(["note", slotId, "2:00", "here", "--kind", "bug"]);
    hosted.extend();
    const there = await run(["note", slotId, "1:00", "there", "--json"]);
    expect(JSON.parse(there.stdout).moment).toMatchObject({ text: "there" });
    const both = await listed(slotId);
    expect(both.map(({ text }) => text)).toEqual(["here", "there"]);
    expect(Object.keys(both[0]!).toSorted()).toEqual(Object.keys(both[1]!).toSorted());
    const { stdout, stderr } = await run(["notes", slotId], { tty: true, columns: 120 });
    expect(stderr).toContain("1 note on this computer only. To upload: `playtest review notes push`.");
    expect(stdout.split("\n").map((line) => line.endsWith("on this computer"))).toEqual([false, true, false, false]);
    const pushed = await run(["notes", "push", "--json"]);
    expect(JSON.parse(pushed.stdout).result).toMatchObject({
      uploaded: [{ text: "here", atMs: 120_000, kind: "bug" }],
      failed: [],
    });
    expect(files()).toEqual([]);
    expect(await run(["notes", "push"])).toMatchObject({ code: 0, stderr: "No notes are on this computer. Nothing was sent.\n" });
    expect((await onServer()).map(({ text }: { text: string }) => text)).toEqual(["there", "here"]);
  });

  it("are not uploaded twice when a reply is lost, and do not change meanwhile", async () => {
    let lost = false;
    const network = await startFlakyNetwork(hosted.baseUrl, ({ method }) => method === "POST" && lost);
    address = network.baseUrl;
    await run(["note", slotId, "2:00", "here"]);
    const { id } = (await listed(slotId))[0]!;
    hosted.extend();
    lost = true;
    const failed = await run(["notes", "push", "--retries", "0"]);
    expect(failed.code).toBe(12);
    expect(await onServer()).toHaveLength(1);
    for (const words of [
      ["edit", String(id), "--text", "changed"],
      ["delete", String(id), "--yes"],
    ])
      expect(await run(["notes", ...words])).toMatchObject({
        code: 6,
        stderr: expect.stringContaining("upload of this note has begun"),
      });
    lost = false;
    expect((await run(["notes", "push"])).code).toBe(0);
    expect(await onServer()).toHaveLength(1);
    await network.close();
  });

  it.each([
    ["delete it", (id: string) => ["notes", "delete", id, "--yes"], []],
    ["upload it", () => ["notes", "push"], ["here"]],
  ])("are not uploaded after another command was first to %s", async (_, other, there) => {
    let id = "";
    let first = true;
    const network = await startFlakyNetwork(
      hosted.baseUrl,
      () => false,
      async ({ url }) => {
        if (!id || !first || !url!.endsWith("/info/server")) return false;
        first = false;
        expect((await run(other(id))).code).toBe(0);
        return false;
      },
    );
    address = network.baseUrl;
    await run(["note", slotId, "2:00", "here"]);
    hosted.extend();
    id = String((await listed(slotId))[0]!.id);
    expect(await run(["notes", "push"])).toMatchObject({
      code: 3,
      stderr: "error: Another command has uploaded or deleted this note.\n",
    });
    await network.close();
    expect([files(), (await onServer()).map(({ text }: { text: string }) => text)]).toEqual([[], there]);
  });

  it.each([
    ["changed", (id: string) => ["notes", "edit", id, "--text", "changed"]],
    ["deleted", (id: string) => ["notes", "delete", id, "--yes"]],
  ])("are not %s after another command was first to upload them", async (_, words) => {
    await run(["note", slotId, "2:00", "here"]);
    const [file] = files();
    const before = readFileSync(file!);
    hosted.extend();
    const { id } = (await listed(slotId))[0]!;
    expect((await run(["notes", "push"])).code).toBe(0);
    writeFileSync(file!, before);
    // While the other command holds the lock, this one waits for it and looks at the time.
    writeFileSync(`${file}.lock`, "");
    const now = () => {
      for (const path of [file!, `${file}.lock`]) rmSync(path, { force: true });
      return startTime;
    };
    expect(await run(words(String(id)), { outside: { newId, now } })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Another command has uploaded or deleted this note. Nothing was changed."),
    });
    expect([files(), (await onServer()).map(({ text }: { text: string }) => text)]).toEqual([[], ["here"]]);
  });

  it("say which of them were uploaded and which were not", async () => {
    for (const text of ["one", "two"]) await run(["note", slotId, "2:00", text]);
    const [first] = files();
    const content = JSON.parse(readFileSync(first!, "utf8"));
    content.notes[0].moment.slotId = "01900000-0000-7000-8000-000000000000";
    writeFileSync(first!, JSON.stringify(content));
    hosted.extend();
    const { code, stderr, stdout } = await run(["notes", "push"], { tty: true });
    const gone = content.notes[0].moment.id;
    expect(code).toBe(11);
    expect(stdout).toMatch(/^Uploaded \S+: two$/m);
    expect(stderr.replaceAll("\n", " ")).toContain(`1 note uploaded, 1 failed: ${gone}.`);
    expect(await texts(content.notes[0].moment.gameId)).toEqual(["one", "two"]);
  });
});
