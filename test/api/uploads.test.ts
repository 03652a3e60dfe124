import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import type { TestServer } from "../helpers/server.ts";
import { claim, createGame, giveCredit, order, registerOwner, registerPlaytester, videoBytes } from "../helpers/story.ts";
import { sha256, upload } from "../helpers/tus.ts";

const named = { filename: "play.mp4", filetype: "video/mp4" };

async function ownerWithGame(server: TestServer) {
  const owner = await registerOwner(server);
  const gameId = await createGame(owner);
  return { owner, gameId, builds: `/games/${gameId}/builds` };
}

async function holder(server: TestServer) {
  const { owner, gameId, builds } = await ownerWithGame(server);
  await giveCredit(server, owner, 10_000);
  const playtestId = await order(owner, gameId, { quantity: 2 });
  const player = await registerPlaytester(server);
  const slotId = await claim(player, playtestId);
  return { owner, gameId, builds, player, playtestId, slotId, video: `/playtester/slots/${slotId}/video` };
}

onBothDatabases("uploads", (serve) => {
  it("takes a build and a video from tus-js-client, and gives the video back", async () => {
    const server = await serve();
    const { owner, builds, gameId, player, video, slotId } = await holder(server);
    const bytes = Buffer.alloc(300_000, 5);
    const url = await upload(server, owner, builds, bytes, {
      metadata: { filename: "a.zip", sha256: sha256(bytes) },
      chunkSize: 100_000,
    });
    expect(url).toMatch(/^http/);
    const game = (await owner.get(`/games/${gameId}`)).body.data.game;
    expect(game.buildUrl).toMatch(/builds/);
    const v = videoBytes(50_000);
    await upload(server, player, video, v, { metadata: named });
    const reply = await player.post(`/playtester/slots/${slotId}/submit`, {});
    expect(reply.status).toBe(200);
    const link = await owner.get(`/slots/${slotId}/download-url`);
    const got = Buffer.from(await (await fetch(link.body.data.downloadUrl)).arrayBuffer());
    expect(got.equals(v)).toBe(true);
  });
});
