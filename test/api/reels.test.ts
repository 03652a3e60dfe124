import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Shown } from "../../server/sharing/reels/drawing.ts";
import { referencedBlobs } from "../../server/uploads/blob-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { visitor } from "../helpers/portal.ts";
import { framesVideo, submitted, transcriptOf } from "../helpers/review.ts";
import type { TestServer } from "../helpers/server.ts";

const script = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
const config = ({ clips }: TestServer["deps"]["config"]) =>
  void Object.assign(clips, { ffmpeg: [process.execPath, script, "cut"], maxBytes: 1024 * 1024 });

/** The build of the game has no version, so its id stands there. */
const facts = (tester: string, at: string) => expect.stringMatching(`^${tester} · build [0-9a-f]{8} · ${at}$`);

onBothDatabases("reels", (serve) => {
  async function market() {
    const server = await serve({ config });
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const gameId = await factories.createGame(owner);
    const testers = [await factories.registerPlaytester(server, "Ann"), await factories.registerPlaytester(server, "Bo")];
    const transcript = transcriptOf(["Ann: hello", "where do I go", "no idea"]);
    const slots: string[] = [];
    for (const playtester of testers) {
      slots.push(await submitted(server, owner, { gameId, playtester, transcript, video: framesVideo() }));
      await server.advance(60_000);
    }
    const reels = `/games/${gameId}/reels`;
    const parts = slots.map((slotId, index) => ({ slotId, atMs: 1000 * (index + 1), endMs: 60_000, title: `Part ${index}` }));
    const seen: Shown[] = [];
    const { cutter } = server.deps;
    server.deps.cutter = {
      ...cutter!,
      reelPart: (from, part, into, stop) => {
        seen.push(into.shown);
        return cutter!.reelPart(from, part, into, stop);
      },
    };
    const make = async (body: object = {}) => (await owner.post(reels, { parts, ...body })).body.data.clip;
    return { server, owner, gameId, testers, slots, reels, parts, seen, make };
  }

  it("are clips of several videos, each part behind a card, listed with each of the videos", async () => {
    const { server, owner, slots, seen, make } = await market();
    const made = await make({ name: "Lost" });
    expect(made).toMatchObject({ name: "Lost", slotId: slots[0], atMs: 0, endMs: 26_000, status: "pending" });
    expect(made.parts).toEqual([
      { slotId: slots[0], atMs: 1000, endMs: 12_000, title: "Part 0", facts: facts("tester 1 of 2", "0:01") },
      { slotId: slots[1], atMs: 2000, endMs: 12_000, title: "Part 1", facts: facts("tester 2 of 2", "0:02") },
    ]);
    await server.advance(0);
    expect(seen.map(({ title, facts, said }) => [title, facts, said.length])).toEqual([
      ["Part 0", facts("tester 1 of 2", "0:01"), 0],
      ["Part 1", facts("tester 2 of 2", "0:02"), 0],
    ]);
    const { clip } = (await owner.get(`/clips/${made.id}`)).body.data;
    const { args } = JSON.parse(await (await fetch(clip.downloadUrl)).text());
    expect(args.join(" ")).toContain("-f concat -safe 1 -i parts.txt -map 0:v:0 -map 0:a:0 -c copy");
    for (const slotId of slots)
      expect((await owner.get(`/slots/${slotId}/clips`)).body.data.clips).toMatchObject([{ id: made.id }]);
    expect(await server.deps.store.read(referencedBlobs)).toContain(`clips/${made.id}`);
    expect(readdirSync(join(server.deps.dataDir, "clipping"))).toEqual([]);
    await owner.delete(`/clips/${made.id}`);
    await server.advance(0);
    expect([
      existsSync(join(server.deps.dataDir, "blobs", "clips", made.id)),
      await server.deps.store.read((q) => q.all("SELECT * FROM clip_parts")),
    ]).toEqual([false, []]);
  });

  it("name playtesters and show what is said only when asked to, and never who says it", async () => {
    const { server, seen, make } = await market();
    await make({ captions: true, withName: true });
    await server.advance(0);
    expect(seen.map(({ facts, said }) => [facts, said.map(({ startMs, text }) => [startMs, text])])).toEqual([
      [
        facts("Ann", "0:01"),
        [
          [0, "where do I go"],
          [1000, "no idea"],
        ],
      ],
      [facts("Bo", "0:02"), [[0, "no idea"]]],
    ]);
  });

  it.each<[string, (parts: { slotId: string; atMs: number; endMs: number }[]) => object[], string]>([
    ["of a video that is not there", ([part]) => [{ ...part, slotId: "019ca945-0a00-739a-9c06-9ebdf03b7351" }], "parts.0.slotId"],
    ["that begins beyond the video", ([part, other]) => [part!, { ...other, atMs: 20_000, endMs: 30_000 }], "parts.1.atMs"],
    ["that ends before it begins", ([part]) => [{ ...part, endMs: 500 }], "parts.0.endMs"],
    ["without parts", () => [], "parts"],
    ["of too many parts", ([part]) => new Array(61).fill(part), "parts"],
  ])("are refused: %s", async (_, partsOf, field) => {
    const { owner, reels, parts } = await market();
    const { status, body } = await owner.post(reels, { parts: partsOf(parts) });
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });

  it("are refused to other owners, of their game as of their videos", async () => {
    const { server, reels, parts } = await market();
    const other = await factories.registerOwner(server);
    const own = `/games/${await factories.createGame(other)}/reels`;
    expect([(await other.post(reels, { parts })).status, (await other.post(own, { parts })).status]).toEqual([404, 422]);
  });

  it("are shared until one of their videos may not be shown any more, without names, notes and transcripts", async () => {
    const { server, owner, slots, make } = await market();
    const made = await make();
    await owner.post(`/slots/${slots[0]}/moments`, { atMs: 1000, text: "A secret note." });
    await server.advance(0);
    const { share } = (await owner.post(`/clips/${made.id}/shares`, { withName: true, withNotes: true })).body.data;
    const path = new URL(share.url).pathname;
    const { html, status } = await visitor(server).get(path);
    expect([status, /where do I go|secret note|Ann/.exec(html)?.[0]]).toEqual([200, undefined]);
    expect((await fetch(`${server.baseUrl}${path}/videos/${slots[0]}/captions`)).status).toBe(404);
    await owner.post(`/slots/${slots[1]}/reject`, { reason: "No." });
    expect((await visitor(server).get(path)).status).toBe(404);
    expect((await owner.get("/shares")).body.data.shares[0].state).toBe("ended");
  });

  it("end with the account of a playtester whom they name, and those that name nobody stay with an accepted video", async () => {
    const { server, owner, testers, slots, make } = await market();
    for (const slotId of slots) await owner.post(`/slots/${slotId}/accept`);
    const [plain, named] = [await make(), await make({ withName: true })];
    await server.advance(0);
    const admin = await factories.firstAdmin(server);
    expect((await admin.delete(`/admin/users/${testers[1]!.id}`)).status).toBe(200);
    expect([(await owner.get(`/clips/${plain.id}`)).status, (await owner.get(`/clips/${named.id}`)).status]).toEqual([200, 404]);
  });

  it("end with a video that nobody keeps", async () => {
    const { server, owner, testers, slots, make } = await market();
    const made = await make();
    await server.advance(0);
    await owner.post(`/slots/${slots[1]}/reject`, { reason: "No." });
    expect((await owner.get(`/clips/${made.id}`)).status).toBe(200);
    expect((await testers[1]!.post("/auth/delete-account", { password: "correct horse" })).status).toBe(200);
    expect((await owner.get(`/clips/${made.id}`)).status).toBe(404);
  });
});
