import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tablesOf } from "../../server/database/tables.ts";
import { graceMs } from "../../server/operations/strays.ts";
import { leftoversOf } from "../../server/personal/work-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import {
  claim,
  createGame,
  firstAdmin,
  giveCredit,
  giveVideo,
  order,
  type Person,
  registerOwner,
  registerPlaytester,
  videoBytes,
} from "../helpers/factories.ts";
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
async function uploadBuild(server: TestServer, owner: Person, gameId: string, sent: number): Promise<string> {
  const bytes = Buffer.from(`${marker} build `.repeat(50));
  const metadata = { filename: `${marker}.zip`, sha256: sha256(bytes), version: marker, channel: marker, notes: marker };
  const url = await begin(server, owner, `/games/${gameId}/builds`, bytes.length, metadata);
  await patch(server, owner, url, 0, bytes.subarray(0, sent < 0 ? bytes.length : sent));
  return url.split("/").at(-1)!;
}

/** Two people after a playtest that was accepted and one that was rejected, with the marker in everything that they gave. */
async function open(server: TestServer) {
  const admin = await firstAdmin(server);
  const [owner, tester] = [await registerOwner(server), await registerPlaytester(server)];
  await giveCredit(server, owner, 10_000);
  await done(owner.patch("/auth/profile", { companyName: marker, websiteUrl: `https://${marker}.example` }));
  await done(tester.patch("/auth/profile", { displayName: marker, gamingExperience: marker }));
  const gameId = await createGame(owner, { description: marker, instructions: marker });
  await uploadBuild(server, owner, gameId, -1);
  const unfinished = await uploadBuild(server, owner, gameId, 20);
  // As servers that share the folder leave them.
  for (const end of [".1", ".2.part"]) writeFileSync(join(server.deps.dataDir, "uploads", `${unfinished}${end}`), marker);
  await done(owner.post("/webhooks", { url: `https://${marker}.example/hook`, events: ["*"] }));
  const video = videoBytes();
  video.write(marker, video.length - 100, "latin1");
  const play = async () => {
    const slotId = await claim(
      tester,
      await order(owner, gameId, { ref: `${marker} ${gameId}${Math.random()}`, notesForTesters: marker }),
    );
    await giveVideo(server, slotId, tester, video);
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

  it("files of any generation that belong to no upload are swept, those of an open one stay", async () => {
    const server = await serve({ config: (config) => (config.sandbox = false) });
    const owner = await registerOwner(server);
    const gameId = await createGame(owner);
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
