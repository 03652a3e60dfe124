import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { startFlakyNetwork } from "../helpers/flaky-network.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture();
const at = (cwd: string, ...line: string[]) => fixture.run(["games", "push", ...line], { cwd });
const builds = async () => (await fixture.owner.get(`/games/${fixture.gameId}/builds`)).body.data.builds;

function folderWith(name: string): string {
  const folder = testFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), "abc");
  return folder;
}

const address = "https://files.example.com/build.zip";
const uploaded = ["--upload-cmd", `echo ${address}`, "--no-verify"];

describe("labels that nothing keeps", () => {
  it.each([
    "--version-label 1",
    "--version-from git",
    "--channel beta",
    "--notes text",
    "--upload-cmd true",
    "--put-url https://files.example.com/a",
    "--public-url https://files.example.com/a",
    "--no-verify",
    "--preview",
  ])("%s is refused with the URL of a build", async (flag) => {
    const before = await builds();
    const { code, stderr } = await at(testFolder(), address, fixture.gameId, ...flag.split(" "));
    const [name] = flag.split(" ");
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} works with a directory or a file, not with a URL.`)]);
    expect(await builds()).toEqual(before);
  });

  it("are not said to be stored with a build in other storage", async () => {
    const folder = folderWith("a.txt");
    const pushed = await at(folder, "a.txt", fixture.gameId, ...uploaded, "--version-label", "9.9.9", "--channel", "beta");
    expect([pushed.code, pushed.stderr]).toEqual([
      0,
      "warning: --version-label, --channel: not stored, because a server keeps the version, channel and notes only of builds that are uploaded to it.\n",
    ]);
    expect(pushed.stdout).not.toContain("9.9.9");
    expect((await builds())[0].version ?? null).toBeNull();
    const json = await at(folder, "a.txt", fixture.gameId, ...uploaded, "--notes", "text", "--json");
    expect(JSON.parse(json.stdout).result).not.toHaveProperty("notes");
  });

  it("are those of the game's build when that is pushed again", async () => {
    const folder = folderWith("a.txt");
    const push = async (version: string) =>
      JSON.parse((await at(folder, "a.txt", fixture.gameId, "--if-changed", "--version-label", version, "--json")).stdout).result;
    expect(await push("1")).toMatchObject({ skipped: false, version: "1" });
    expect(await push("2")).toMatchObject({ skipped: true, version: "1" });
    expect((await builds())[0].version).toBe("1");
  });
});

describe("--upload-cmd", () => {
  it("gets the name of the file as it is", async () => {
    const name = "a$&b$$ 'c'.txt";
    const folder = folderWith(name);
    const copy = join(folder, "copy");
    const { code } = await at(
      folder,
      name,
      fixture.gameId,
      "--upload-cmd",
      `cat {file} >${copy}; echo ${address}`,
      "--no-verify",
    );
    expect([code, readFileSync(copy, "utf8")]).toEqual([0, "abc"]);
  });
});

it("--timeout ends an upload whose creation is never answered", async () => {
  const folder = folderWith("a.txt");
  const network = await startFlakyNetwork(
    fixture.server.baseUrl,
    () => false,
    ({ method }) => method === "POST" && new Promise<boolean>(() => {}),
  );
  try {
    const argv = ["games", "push", "a.txt", fixture.gameId, "--retries", "0", "--timeout", "0.5"];
    const { code, stderr } = await fixture.run(argv, { cwd: folder, baseUrl: network.baseUrl });
    expect([code, stderr]).toEqual([10, expect.stringContaining(`No response from ${network.baseUrl} within 0.5 s.`)]);
  } finally {
    await network.close();
  }
});

it("a build that the server completed after an interruption is sent again where another has replaced it since", async () => {
  const [folder, other] = [folderWith("b.txt"), folderWith("a.txt")];
  writeFileSync(join(folder, "b.txt"), "another build");
  let isLost = true;
  const network = await startFlakyNetwork(
    fixture.server.baseUrl,
    ({ method }) => isLost && method === "PATCH",
    () => false,
    (name, value) => (name === "location" ? value.replace(fixture.server.baseUrl, network.baseUrl) : value),
  );
  const env = { PLAYTEST_CONFIG_DIR: testFolder() };
  const push = (cwd: string, name: string) =>
    fixture.run(["games", "push", name, fixture.gameId, "--retries", "0", "--json"], { cwd, baseUrl: network.baseUrl, env });
  try {
    expect((await push(folder, "b.txt")).code).toBe(10);
    isLost = false;
    expect((await push(other, "a.txt")).code).toBe(0);
    const { result } = JSON.parse((await push(folder, "b.txt")).stdout);
    const found = await builds();
    expect(found[0]).toMatchObject({ buildUrl: result.buildUrl, sha256: result.sha256, filename: "b.txt" });
  } finally {
    await network.close();
  }
});
