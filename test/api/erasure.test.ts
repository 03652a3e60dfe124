import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { tablesOf } from "../../server/database/tables.ts";
import { graceMs } from "../../server/operations/strays.ts";
import { leftoversOf } from "../../server/personal/work-store.ts";
import { blobKinds } from "../../server/uploads/blob-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { Reply, TestServer } from "../helpers/server.ts";
import { Database } from "../helpers/sqlite.ts";
import { begin, patch, sha256 } from "../helpers/tus.ts";

/** In every text and file of two accounts. */
const marker = "zyxmarker";
const password = "correct horse";
const day = 86_400_000;

async function done(reply: Promise<Reply>): Promise<Reply["body"]> {
  const { status, text, body } = await reply;
  if (status >= 300) throw new Error(text);
  return body?.data;
}

const vtt = `WEBVTT\n\n00:00.000 --> 00:02.000\n${marker}\n`;
const transcriber = { transcribe: async () => JSON.stringify({ vtt, keyTakeaways: [marker] }) };

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Files below the data folder that contain the marker. */
const filesWith = ({ deps }: TestServer) => filesBelow(deps.dataDir).filter((path) => readFileSync(path).includes(marker));

/** The columns that contain the marker, as `table.column`. */
function columnsWith({ deps: { store } }: TestServer): Promise<string[]> {
  return store.read(async (q) => {
    const found = new Set<string>();
    for (const { name, columns } of await tablesOf(q, store.dialect))
      for (const row of columns.length > 0 ? await q.all<Record<string, unknown>>(`SELECT * FROM ${name}`) : [])
        for (const column of columns) {
          const value = row[column] instanceof Uint8Array ? Buffer.from(row[column]).toString() : String(row[column]);
          if (value.toLowerCase().includes(marker)) found.add(`${name}.${column}`);
        }
    return [...found].sort();
  });
}

/** Uploads the first `sent` bytes of a build; the upload's id. */
async function uploadBuild(server: TestServer, owner: factories.Person, gameId: string, sent: number): Promise<string> {
  const bytes = Buffer.from(`${marker} build `.repeat(50));
  const metadata = { filename: `${marker}.zip`, sha256: sha256(bytes), version: marker, channel: marker, notes: marker };
  const url = await begin(server, owner, `/games/${gameId}/builds`, bytes.length, metadata);
  await patch(server, owner, url, 0, bytes.subarray(0, sent < 0 ? bytes.length : sent));
  return url.split("/").at(-1)!;
}

/** Two people after a playtest that was accepted and one that was rejected, with the marker in everything that they gave. */
async function open(server: TestServer) {
  const admin = await factories.firstAdmin(server);
  const [owner, tester] = [await factories.registerOwner(server), await factories.registerPlaytester(server)];
  await factories.giveCredit(server, owner, 10_000);
  await done(owner.patch("/auth/profile", { companyName: marker, websiteUrl: `https://${marker}.example` }));
  await done(tester.patch("/auth/profile", { displayName: marker, gamingExperience: marker }));
  const gameId = await factories.createGame(owner, { description: marker, instructions: marker });
  await uploadBuild(server, owner, gameId, -1);
  const unfinished = await uploadBuild(server, owner, gameId, 20);
  // As servers that share the folder leave them.
  for (const end of [".1", ".2.part"]) writeFileSync(join(server.deps.dataDir, "uploads", `${unfinished}${end}`), marker);
  await done(owner.post("/webhooks", { url: `https://${marker}.example/hook`, events: ["*"] }));
  const video = factories.videoBytes();
  video.write(marker, video.length - 100, "latin1");
  const play = async () => {
    const slotId = await factories.claim(
      tester,
      await factories.order(owner, gameId, { ref: `${marker} ${gameId}${Math.random()}`, notesForTesters: marker }),
    );
    await factories.giveVideo(server, slotId, tester, video);
    await done(tester.post(`/playtester/slots/${slotId}/submit`, { notes: marker }));
    return slotId;
  };
  const [accepted, rejected] = [await play(), await play()];
  await done(owner.post(`/playtests/slots/${accepted}/accept`, { rating: 5, comment: marker }));
  await done(owner.post(`/playtests/slots/${rejected}/reject`, { reason: marker }));
  await server.advance(0);
  await done(server.request("PUT", `/playtests/slots/${accepted}/transcript`, { key: owner.key, body: { vtt } }));
  await done(owner.post(`/slots/${accepted}/moments`, { atMs: 1000, text: marker, tags: [marker] }));
  await done(owner.post(`/slots/${accepted}/shares`, {}));
  const { conversation } = await done(owner.post("/chat/conversations", { contactId: tester.id }));
  for (const person of [owner, tester])
    await done(person.post(`/chat/conversations/${conversation.id}/messages`, { content: marker }));
  const details = { method: "bank", holder: marker, iban: "NL91ABNA0417164300", password };
  await done(tester.post("/playtester/payout-details", details));
  await server.advance(0);
  return { admin, owner, tester, accepted, rejected };
}

onBothDatabases("erasure", (serve) => {
  it("of both sides of a playtest: after 30 days no text or file is left but what is listed here", async () => {
    const server = await serve({ transcriber });
    const { admin, owner, tester } = await open(server);
    expect((await columnsWith(server)).length).toBeGreaterThan(25);
    expect(filesWith(server).length).toBeGreaterThan(5);
    await done(admin.delete(`/admin/users/${owner.id}`));
    await server.advance(1 * day);
    // The playtester can save the videos for 30 days. Nothing else of the owner has a file.
    const left = filesWith(server).map((path) => path.slice(server.deps.dataDir.length + 1));
    expect(left.filter((path) => !path.startsWith("blobs/videos/"))).toEqual([]);
    expect(left).toHaveLength(2);
    await server.advance(28 * day);
    expect(filesWith(server)).toHaveLength(2);
    await server.advance(2 * day);
    expect(filesWith(server)).toEqual([]);
    await done(admin.delete(`/admin/users/${tester.id}`));
    await server.advance(31 * day);
    expect(await columnsWith(server)).toEqual([]);
    expect(filesWith(server)).toEqual([]);
    expect(await server.deps.store.read((q) => leftoversOf(q, server.clock.now()))).toEqual([]);
    await expectNoTraces(server);
  });

  it("of the playtester alone: its video that was not paid goes at once, and the other one stays with the owner", async () => {
    const server = await serve({ transcriber });
    const { admin, owner, tester, accepted, rejected } = await open(server);
    await done(admin.delete(`/admin/users/${tester.id}`));
    await server.advance(0);
    const status = async (slotId: string) => (await owner.get(`/playtests/slots/${slotId}/download-url`)).status;
    expect([await status(accepted), await status(rejected)]).toEqual([200, 404]);
    expect(filesWith(server).filter((path) => path.includes("/blobs/videos/"))).toHaveLength(1);
  });

  describe("files that belong to nothing", () => {
    const cutting = {
      config(config: TestServer["deps"]["config"]) {
        config.sandbox = false;
        config.clips.ffmpeg = [process.execPath, fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url)), "cut"];
      },
      transcriber,
    };
    /** A server with a file of each kind that a row names; the paths of all files below its folders. */
    async function stocked() {
      const server = await serve(cutting);
      const { owner, accepted } = await open(server);
      await done(owner.post(`/slots/${accepted}/clips`, { atMs: 0, endMs: 1000 }));
      await server.advance(0);
      const { dataDir } = server.deps;
      const paths = () =>
        filesBelow(dataDir)
          .map((path) => path.slice(dataDir.length + 1))
          .filter((path) => !path.startsWith("playtest.db"))
          .sort();
      const age = (path: string, days: number) => {
        const at = new Date(server.clock.real() - days * day);
        utimesSync(join(dataDir, path), at, at);
      };
      return { server, paths, age, dataDir };
    }
    /** Moves the clock by days, on each of which the server looks for such files. */
    async function sweptAfter(server: TestServer, days: number) {
      for (let count = 0; count < days; count++) await server.advance(day);
    }
    const nobody = "01900000-0000-7000-8000-000000000000";

    it("are swept after eight days, of every kind; what a row names, and what the server did not make, stays", async () => {
      const { server, paths, age, dataDir } = await stocked();
      const before = paths();
      const kinds = new Set(
        before.map((path) => path.split("/").slice(0, 2).join("/")).filter((kind) => kind.startsWith("blobs/")),
      );
      expect([...kinds].sort()).toEqual(blobKinds.map((kind) => `blobs/${kind}`).sort());
      const [stray, young] = [
        [
          ...blobKinds.map((kind) => `blobs/${kind}/${nobody}`),
          ...[`uploads/${nobody}.2.part`, `outbox/${nobody}.eml`, `transcribing/${nobody}.vtt`, `inspecting/${nobody}`],
          ...[`transcribing/${nobody}.1/video.mp4`, `clipping/${nobody}.1/cut-0`],
        ],
        blobKinds.map((kind) => `blobs/${kind}/${nobody.replace("0000", "1111")}`),
      ];
      const foreign = ["outbox/notes.txt", "clipping/mine/film.mp4"];
      const write = (path: string) => {
        mkdirSync(dirname(join(dataDir, path)), { recursive: true });
        writeFileSync(join(dataDir, path), marker);
      };
      for (const path of [...stray, ...foreign]) write(path);
      for (const path of [...before, ...stray, ...foreign]) age(path, 9);
      for (const path of [...stray, ...foreign].filter((one) => one.split("/").length === 3 && !one.startsWith("blobs")))
        age(dirname(path), 9);
      await sweptAfter(server, 1);
      expect(before.filter((path) => !paths().includes(path))).toEqual([]);
      await sweptAfter(server, 7);
      expect(paths()).toEqual(expect.arrayContaining(stray.filter((path) => path.startsWith("blobs/"))));
      for (const path of young) {
        write(path);
        age(path, 6);
      }
      await sweptAfter(server, 1);
      // By now, the time of the unfinished upload has ended.
      const kept = [...before.filter((path) => !path.startsWith("uploads/")), ...young, ...foreign];
      const left = paths();
      expect(left.filter((path) => !kept.includes(path) && !path.startsWith("outbox/"))).toEqual([]);
      expect(kept.filter((path) => !left.includes(path) && !path.startsWith("outbox/"))).toEqual([]);
      expect(left).not.toContain(`outbox/${nobody}.eml`);
      expect(left).toContain("outbox/notes.txt");
    });

    it("are there when a newer database comes back within eight days, however old they are", async () => {
      const { server, paths, age, dataDir } = await stocked();
      const { store } = server.deps;
      const [video, other] = ["", "1"].map((end) => `blobs/videos/${nobody.slice(0, 36 - end.length)}${end}`) as [string, string];
      for (const path of [video, other]) {
        writeFileSync(join(dataDir, path), marker);
        age(path, 20);
      }
      await sweptAfter(server, 8);
      expect(paths()).toEqual(expect.arrayContaining([video, other]));
      const [build] = await store.read((q) => q.all<{ id: string; blob_key: string }>("SELECT id, blob_key FROM builds"));
      const name = (key: string) => store.write((tx) => tx.run("UPDATE builds SET blob_key = ? WHERE id = ?", key, build!.id));
      await name(video.slice("blobs/".length));
      await sweptAfter(server, 1);
      expect([paths().includes(video), paths().includes(other)]).toEqual([true, false]);
      await name(build!.blob_key);
      await sweptAfter(server, 8);
      expect(paths()).toContain(video);
      await sweptAfter(server, 1);
      expect(paths()).not.toContain(video);
    });

    it("are reported and not swept when they are most of the stored files: the database may be another one", async () => {
      const { server, paths, age, dataDir } = await stocked();
      const strays = Array.from({ length: 50 }, (_, at) => `blobs/videos/${nobody.slice(0, -2)}${at + 10}`);
      for (const path of strays) {
        writeFileSync(join(dataDir, path), marker);
        age(path, 9);
      }
      await server.advance(day);
      expect(strays.filter((path) => !paths().includes(path))).toEqual([]);
      expect(server.errors.splice(0).map(String)).toEqual([expect.stringContaining("more than half of the stored files")]);
    });
  });

  it("files of any generation that belong to no upload are swept, those of an open one stay", async () => {
    const server = await serve({ config: (config) => (config.sandbox = false) });
    const owner = await factories.registerOwner(server);
    const gameId = await factories.createGame(owner);
    const upload = await uploadBuild(server, owner, gameId, 20);
    const uploads = join(server.deps.dataDir, "uploads");
    const old = new Date(server.clock.real() - graceMs - day);
    const stray = upload.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const write = (name: string) => {
      writeFileSync(join(uploads, name), marker);
      utimesSync(join(uploads, name), old, old);
    };
    for (const name of [stray, `${stray}.3`, `${stray}.4.part`, `${upload}.1`, "mine.zip"]) write(name);
    await server.advance(day);
    expect(readdirSync(uploads).sort()).toEqual([upload, `${upload}.1`, "mine.zip"].sort());
  });
});

/** Nothing is left in pages of the database file that are free again. */
async function expectNoTraces({ deps: { store } }: TestServer): Promise<void> {
  if (store.dialect.time !== undefined) return;
  const [{ file }] = (await store.read((q) => q.all<{ file: string }>("SELECT file FROM pragma_database_list"))) as [
    { file: string },
  ];
  const database = new Database(file);
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
  expect(readFileSync(file).includes(marker)).toBe(false);
}
