import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { claim, order, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";

const fixture = eachOwnerFixture();
afterEach(killLeftovers);

it.each([
  ["--upload-cmd", () => ["games", "push", "a.txt", fixture.gameId, "--upload-cmd"]],
  ["--exec", () => ["notifications", "watch", "--unread", "--exec"]],
])("what %s started ends with the command", async (_, words) => {
  await claim(await registerPlaytester(fixture.server), await order(fixture.owner, fixture.gameId));
  const folder = testFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "a.txt"), "abc");
  const env = { PLAYTEST_BASE_URL: fixture.server.baseUrl, PLAYTEST_API_KEY: fixture.owner.key };
  const builds = async () => (await fixture.owner.get(`/games/${fixture.gameId}/builds`)).body.data.builds;
  const before = await builds();
  const running = spawnPlaytest(folder, [...words(), "touch started; sleep 600; echo https://files.example.com/a.txt"], env);
  await expect.poll(() => existsSync(join(folder, "started")), { interval: 20, timeout: 60_000 }).toBe(true);
  running.child.kill("SIGTERM");
  // It ends when all that have its output open have ended.
  expect((await running.ended).code).toBe(143);
  expect(await builds()).toEqual(before);
});
