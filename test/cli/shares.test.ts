import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { playtest } from "../helpers/cli.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";
import { newId } from "../helpers/walk.ts";

describe("shares", () => {
  let server: TestServer;
  let owner: Person;
  let playtestId: string;
  let slotId: string;
  beforeAll(async () => {
    server = await ownServer();
    owner = await registerOwner(server);
    await giveCredit(server, owner, 20_000);
    playtestId = await order(owner, await createGame(owner));
    slotId = await play(server, await registerPlaytester(server), playtestId);
    return server.close;
  });
  const run = (words: string[], options: object = {}) =>
    playtest(["review", ...words], { baseUrl: server.baseUrl, key: owner.key, outside: { newId }, ...options });
  const shared = async (words: string[], options: object = {}) => {
    const { code, stdout, stderr } = await run(["share", ...words, "--json"], options);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout).share as { id: string; url: string; kind: string; expiresAt: string };
  };

  it("begin with what is shown, are listed with their views, and end", async () => {
    const { id, url } = await shared([slotId, "--for", "7d", "--with-notes", "--no-name"]);
    expect((await fetch(url)).status).toBe(200);
    const listed = JSON.parse((await run(["shares", "--json"])).stdout).shares[0];
    expect(listed).toMatchObject({ id, url, views: 1, withNotes: true, withName: false, hasPassword: false });
    expect(Date.parse(listed.expiresAt) - Date.parse(listed.createdAt)).toBe(7 * 86_400_000);
    expect((await run(["shares", "--tsv"])).stdout.split("\n")[1]).toMatch(
      /\tslot\tLantern Deep\tactive\t1\t.*\tnotes\thttp\S+$/,
    );
    expect((await run(["unshare", id])).stdout).toBe("message\tThe share has ended: its link no longer works.\n");
    expect((await fetch(url)).status).toBe(404);
  });

  it("of a playtest are recognized by the id", async () => {
    expect(await shared([playtestId, "--with-name"])).toMatchObject({ kind: "playtest", withName: true });
  });

  it("take a password from a file or from standard input, and never from a flag", async () => {
    const file = join(freshFolder(), "password.txt");
    writeFileSync(file, "lamp in the dark\n");
    for (const { url } of [
      await shared([slotId, "--password-file", file]),
      await shared([slotId, "--password-file", "-"], { stdin: "lamp in the dark\n" }),
    ]) {
      const open = (password: string) =>
        fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams({ password }) });
      expect([(await open("guess")).status, (await open("lamp in the dark")).status]).toEqual([403, 303]);
    }
    const { code, stderr } = await run(["share", slotId, "--password"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Pass --password-file FILE; - reads standard input.")]);
  });

  it.each([
    [["--with-name", "--no-name"], "--with-name and --no-name cannot be used together."],
    [["--with-notes", "--note", "01900000-0000-7000-8000-000000000000"], "--with-notes and --note cannot be used together."],
    [["--for", "2y"], "--for"],
    [["--for", "366d"], "--for: must be from 1 minute to 365 days. Nothing was shared."],
  ])("refuse %j before anything is sent", async (words, message) => {
    const { code, stderr } = await run(["share", slotId, ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
