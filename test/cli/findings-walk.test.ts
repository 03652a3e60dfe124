import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { playtest, testFolder } from "../helpers/cli.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, giveVideo, order, registerPlaytester } from "../helpers/factories.ts";
import { framesVideo, giveTranscript, reviewMarket, transcriptOf } from "../helpers/review.ts";
import { startTrackers } from "../helpers/trackers.ts";
import { newId } from "../helpers/walk.ts";

const cutter = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
const videos = 20;

/** What is said in the video of a playtester: each complaint by some of them, among what nobody says twice. */
const saidBy = (number: number) => [
  `Room${number} is where I begin.`,
  number % 2 === 0 ? "I am confused, where is the lantern?" : `Barrels${number} stand here.`,
  number % 3 === 0 ? "The boss hits me through the wall." : `Tries${number} it took.`,
  number % 4 === 0 ? "This map is impossible to read." : `Score${number} is mine.`,
];

onBothDatabases("from twenty submissions to three filed findings and a reel", (serve, it) => {
  it("takes no more than twelve commands", async () => {
    const server = await serve({
      config: ({ clips }) => void Object.assign(clips, { ffmpeg: [process.execPath, cutter, "cut"] }),
    });
    const trackers = await startTrackers(server.clock.now);
    server.deps.config.webhooks.allowPrivate = ["127.0.0.0/8"];
    const { owner, gameId } = await reviewMarket(server);
    const playtestId = await order(owner, gameId, { quantity: videos });
    for (let number = 1; number <= videos; number++) {
      const playtester = await registerPlaytester(server, `Player ${number}`);
      const slotId = await claim(playtester, playtestId);
      await giveVideo(server, slotId, playtester, framesVideo());
      await playtester.submitSlot({ params: { id: slotId } });
      await giveTranscript(server, owner, slotId, transcriptOf(saidBy(number)));
    }
    await server.advance(0);

    const folder = testFolder();
    let commands = 0;
    const run = async (line: string, stdin?: string) => {
      commands++;
      const { code, stdout, stderr } = await playtest(line.split(" "), {
        baseUrl: server.baseUrl,
        key: owner.key,
        cwd: folder,
        env: { PLAYTEST_CONFIG_DIR: folder },
        outside: { newId, sleep: async (ms) => server.advance(ms), now: server.clock.now },
        ...(stdin !== undefined && { stdin }),
      });
      expect([line, code, stderr.includes("error")]).toEqual([line, 0, false]);
      return JSON.parse(stdout);
    };

    await run(`findings connect github --site ${trackers.url} --token-file - --json`, "token-github\n");
    const { result: highlights } = await run(`review highlights ${playtestId} --json`);
    const { result: findings } = await run(`findings suggest ${playtestId} --take 1 --take 2 --take 3 --json`);
    for (const { id } of findings) await run(`findings file ${id} --to github:acme/lantern --json`);
    await run(`review reel ${findings[0].id} --save reel.mp4 --json`);
    const report = await run(`review report ${playtestId} --json`);

    expect(commands).toBeLessThanOrEqual(12);
    expect(highlights.length).toBeGreaterThan(0);
    const listed = (await owner.get(`/games/${gameId}/findings`)).body.data.findings as {
      testers: { seen: number; of: number };
      status: string;
      issue: { key: string; url: string };
      evidence: { quote: string; playtester: { displayName: string } }[];
    }[];
    expect(listed.map(({ testers, status, evidence }) => [testers.seen, testers.of, status, evidence[0]!.quote])).toEqual([
      [10, 20, "filed", "I am confused, where is the lantern?"],
      [6, 20, "filed", "The boss hits me through the wall."],
      [5, 20, "filed", "This map is impossible to read."],
    ]);
    expect(listed[1]!.evidence.map(({ playtester }) => playtester.displayName)).toEqual(
      [3, 6, 9, 12, 15, 18].map((number) => `Player ${number}`),
    );
    expect(new Set(listed.map(({ issue }) => issue.key)).size).toBe(3);
    expect(readFileSync(join(folder, "reel.mp4")).length).toBeGreaterThan(0);
    expect(JSON.stringify(report)).toContain("I am confused, where is the lantern?");
  });
});
