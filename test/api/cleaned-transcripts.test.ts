import { expect } from "vitest";
import { playtest } from "../helpers/cli.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";

const said = ["Hello there.", ...Array(5).fill("Thank you for watching."), "The lantern is dark.", "Where is the <key>?"];
const vtt = `WEBVTT\n\n${said.map((text, at) => `00:00:${10 + at}.000 --> 00:00:${11 + at}.000\n${text.replace("<", "&lt;")}\n`).join("\n")}`;

onBothDatabases("a transcript that loops", (_serve, it) => {
  it("is searched and shown without its loop and without what stands over silence, which are kept", async ({ server }) => {
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 20_000);
    const playtestId = await factories.order(owner, await factories.createGame(owner, { name: "Moth" }));
    const tester = await factories.registerPlaytester(server);
    const slotId = await factories.claim(tester, playtestId);
    await factories.giveVideo(server, slotId, tester);
    await tester.post(`/playtester/slots/${slotId}/submit`, { notes: "Fine." });
    const transcribed = () =>
      server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt } }).then(() => server.advance(0));
    await transcribed();
    const found = async (q: string) => (await owner.get(`/search?${new URLSearchParams({ q })}`)).body.data.results.length;
    expect([await found("watching"), await found("lantern"), await found("key")]).toEqual([0, 1, 1]);

    const page = async () => (await (await signedIn(server, owner, "/studio")).get(`/studio/slots/${slotId}`)).html;
    expect(await page()).toContain("<summary>5 lines left out</summary>");
    const removed = async () =>
      (await playtest(["review", "transcript", slotId, "--removed"], { baseUrl: server.baseUrl, key: owner.key })).stdout;
    expect((await removed()).split("\n")[0]).toBe("[0:11] Thank you for watching. (repeated)");

    // From 0:17 on nothing is heard.
    const loudness = JSON.stringify(Array.from({ length: 30 }, (_, second) => (second < 17 ? -20 : -90)));
    await server.deps.store.write(async (tx) => {
      const row = await tx.one<{ blob_key: string }>("SELECT blob_key FROM submissions WHERE slot_id = ?", slotId);
      await tx.run("DELETE FROM video_signals WHERE slot_id = ?", slotId);
      await tx.run(
        "INSERT INTO video_signals (slot_id, blob_key, status, loudness, created_at, updated_at) VALUES (?, ?, 'ready', ?, 1, 1)",
        slotId,
        row!.blob_key,
        loudness,
      );
    });
    await transcribed();
    expect([await found("lantern"), await found("key")]).toEqual([1, 0]);
    expect(await page()).toContain('0:17 Where is the &lt;key&gt;? <span class="soft">(nothing was heard)</span>');
    expect(await removed()).toContain("[0:17] Where is the <key>? (nothing was heard)");
    const file = await playtest(["review", "transcript", slotId], { baseUrl: server.baseUrl, key: owner.key });
    expect(file.stdout.match(/Thank you for watching\./g)).toHaveLength(5);

    const onlyLoop = `WEBVTT\n\n${[0, 2, 4, 6].map((at) => `00:0${at}.000 --> 00:0${at + 1}.000\nThank you.\n`).join("\n")}`;
    await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt: onlyLoop } });
    expect(await page()).toMatch(/All lines of this transcript are left out: see below why\..*<summary>4 lines left out/s);
  });
});
