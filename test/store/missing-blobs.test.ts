import { expect, it } from "vitest";
import { missingBlobs } from "../../server/operations/missing-blobs.ts";
import type { Blobs } from "../../server/uploads/blobs.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";

onBothDatabases("missing files", (serve) => {
  it("are those that are not stored, without what is removed while they are looked for", async () => {
    const server = await serve();
    const { deps } = server;
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const playtester = await factories.registerPlaytester(server);
    for (let count = 0; count < 3; count++) {
      const slotId = await factories.claim(playtester, await factories.order(owner, await factories.createGame(owner)));
      await factories.giveVideo(server, slotId, playtester);
    }
    const uploads = await deps.store.read((q) =>
      q.all<{ id: string }>("SELECT id FROM uploads WHERE kind = 'video' ORDER BY id"),
    );
    const [lost, discarded] = uploads.slice(1).map(({ id }) => `videos/${id}`) as [string, string];
    expect(await deps.store.read((q) => missingBlobs(q, deps.blobs))).toEqual([]);
    await deps.blobs.remove(lost);
    await deps.blobs.remove(discarded);
    expect(await deps.store.read((q) => missingBlobs(q, deps.blobs))).toEqual([lost, discarded]);

    const discarding: Blobs = {
      ...deps.blobs,
      async *list(kinds) {
        const id = discarded.slice("videos/".length);
        await deps.store.write((tx) => tx.run("UPDATE uploads SET status = 'expired' WHERE id = ?", id));
        yield* deps.blobs.list(kinds);
      },
    };
    expect(await deps.store.read((q) => missingBlobs(q, discarding))).toEqual([lost]);
  });
});
