import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { startFlakyNetwork } from "../helpers/flaky-network.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { startTime } from "../helpers/server.ts";

const fixture = eachOwnerFixture();
const at = (cwd: string, ...line: string[]) => fixture.run(["games", "push", ...line], { cwd });
afterEach(killLeftovers);

/** A folder with these files. */
function folderWith(files: Record<string, string>): string {
  const folder = testFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const game = async () => (await fixture.owner.get(`/games/${fixture.gameId}`)).body.data.game;
const builds = async () => (await fixture.owner.get(`/games/${fixture.gameId}/builds`)).body.data.builds;
const result = ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => {
  expect([code, stderr.replace(/^Left out, because no playtester needs them .*: \.git\/\.\n/, "")]).toEqual([0, ""]);
  return JSON.parse(stdout).result;
};

describe("games push to a server that hosts builds", () => {
  it("packs a directory, uploads it and sets the game's build", async () => {
    const folder = folderWith({ "game.html": "<h1>hi</h1>", "data/level 1.txt": "x".repeat(5000) });
    const { code, stdout, stderr } = await at(folder, ".", fixture.gameId, "--version-label", "1.2", "--channel", "beta");
    expect([code, stderr]).toEqual([0, ""]);
    const [build] = await builds();
    expect(stdout).toBe(`Pushed ${build.size} B as 1.2 to ${(await game()).name}. ${build.buildUrl}\n`);
    expect(build).toMatchObject({ version: "1.2", channel: "beta", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await game()).buildUrl).toBe(build.buildUrl);
  });

  it("reports progress, speed and remaining time, at most every ten seconds", async () => {
    const folder = folderWith({ "big.bin": "x".repeat(3_000_000) });
    let now = startTime;
    const ran = await fixture.run(["games", "push", "big.bin", fixture.gameId], {
      cwd: folder,
      outside: {
        now: () => {
          now += 6_000;
          return now;
        },
      },
    });
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^(Reading .* of 2\.9 MiB, .*\/s.*: big\.bin \d+ %\n)+(Uploading .* of 2\.9 MiB, .*\/s.*: big\.bin \d+ %\n)+(Uploaded big\.bin; waiting for the server to verify it\n)+$/,
      ),
    ]);
  });

  it("packs the same files with the same times to the same bytes; --if-changed skips the same build whatever the times", async () => {
    const folder = folderWith({ "a.txt": "a", "b/c.txt": "c" });
    const first = result(await at(folder, ".", fixture.gameId, "--json"));
    expect(result(await at(folder, ".", fixture.gameId, "--json")).sha256).toBe(first.sha256);
    utimesSync(join(folder, "a.txt"), 1, 1);
    const again = result(await at(folder, ".", fixture.gameId, "--if-changed", "--json"));
    expect(again).toMatchObject({ skipped: true, sha256: first.sha256 });
    chmodSync(join(folder, "a.txt"), 0o755);
    const changed = result(await at(folder, ".", fixture.gameId, "--if-changed", "--json"));
    expect(changed.skipped).toBe(false);
    expect(changed.sha256).not.toBe(first.sha256);
  });

  it("--if-changed recognizes the same files packed by another program", async () => {
    const folder = folderWith({ "a.txt": "a".repeat(9999), "b/c.txt": "c" });
    const first = result(await at(folder, ".", fixture.gameId, "--json"));
    // As if the archive that the server keeps had been made by another version of zlib.
    await fixture.server.deps.store.write((tx) => tx.run("UPDATE builds SET sha256 = ?", "0".repeat(64)));
    const again = result(await at(folder, ".", fixture.gameId, "--if-changed", "--json"));
    expect(again).toMatchObject({ skipped: true, buildUrl: first.buildUrl, contentSha256: first.contentSha256 });
    const moved = folderWith({ "a.txt": "a".repeat(9999), "b/d.txt": "c" });
    expect(result(await at(moved, ".", fixture.gameId, "--if-changed", "--json")).skipped).toBe(false);
  });

  it.each([
    ["git", { "a.txt": "a" }, /^v1\.2-1-g[0-9a-f]+-dirty$/],
    ["file", { "a.txt": "a", VERSION: "3.1\nnotes\n" }, /^3\.1$/],
    ["file", { "version.txt": " 7 \n" }, /^7$/],
    ["file", { "a.txt": "a", VERSION: "\ufeff3.1 \r\nnotes\r\n" }, /^3\.1$/],
    ["file", { "a.txt": "a", "package.json": '\ufeff{"version":"0.4.0"}\r\n' }, /^0\.4\.0$/],
    ["file", { "package.json": '{"version":"0.4.0"}' }, /^0\.4\.0$/],
  ])("--version-from %s takes the version from %j", async (from, files, label) => {
    const folder = folderWith(files as unknown as Record<string, string>);
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], { cwd: folder });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    git("tag", "v1.2");
    git("commit", "-q", "--allow-empty", "-m", "two");
    writeFileSync(join(folder, Object.keys(files)[0]!), `${Object.values(files)[0]} `);
    const pushed = result(await at(folder, ".", fixture.gameId, "--version-from", from, "--json"));
    expect(pushed.version).toMatch(label);
    expect((await builds())[0].version).toBe(pushed.version);
  });

  it("--version-from git looks in the pushed directory, and shows nothing of what git says", async () => {
    const [folder, elsewhere] = [folderWith({ "a.txt": "a" }), testFolder()];
    const push = () => at(elsewhere, folder, fixture.gameId, "--version-from", "git", "--json");
    const failed = await push();
    expect([failed.code, failed.stderr]).toEqual([2, expect.stringContaining(`${folder} is not in a git repository`)]);
    expect(failed.stderr).not.toContain("fatal");
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], { cwd: folder });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    git("tag", "v7");
    expect(result(await push()).version).toBe("v7");
  });

  it("leaves out files that .playtestignore lists", async () => {
    const folder = folderWith({
      ".playtestignore": "*.log\n/tmp/\n!keep.log\n",
      "a.txt": "a",
      "x.log": "",
      "keep.log": "k",
      "tmp/t": "t",
      "sub/tmp/t": "t",
      ".git/HEAD": "",
    });
    const { code, stdout, stderr } = await at(folder, ".", fixture.gameId, "--preview");
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "added\ta.txt\t1 B\nadded\tkeep.log\t1 B\nadded\tsub/tmp/t\t1 B\n",
      stderr: expect.stringMatching(/^Left out, because no playtester needs them .*: \.git\/\.\n/),
    });
    expect(await builds()).toHaveLength(1);
  });

  it("--preview lists the changed files, from the index of the current build", async () => {
    const folder = folderWith({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
    await at(folder, ".", fixture.gameId);
    writeFileSync(join(folder, "b.txt"), "B");
    const { stdout } = await at(
      folderWith({ "a.txt": "a", "b.txt": "B", "d.txt": "d" }),
      ".",
      fixture.gameId,
      "--preview",
      "--json",
    );
    expect(JSON.parse(stdout).result).toEqual([
      { change: "changed", path: "b.txt", size: 1 },
      { change: "removed", path: "c.txt", size: null },
      { change: "added", path: "d.txt", size: 1 },
    ]);
  });

  it("resumes an upload after a kill", async () => {
    const folder = folderWith({ "big.bin": "" });
    truncateSync(join(folder, "big.bin"), 300_000_000);
    const env = { PLAYTEST_BASE_URL: fixture.server.baseUrl, PLAYTEST_API_KEY: fixture.owner.key };
    const killed = spawnPlaytest(folder, ["games", "push", "big.bin", fixture.gameId], env);
    const uploads = () =>
      fixture.server.deps.store.read((q) => q.all<{ id: string; status: string }>("SELECT id, status FROM uploads"));
    const arriving = join(fixture.server.deps.dataDir, "uploads");
    const arrived = () => readdirSync(arriving).reduce((sum, id) => sum + statSync(join(arriving, id)).size, 0);
    await expect.poll(arrived, { interval: 5 }).toBeGreaterThan(20_000_000);
    killed.child.kill("SIGKILL");
    await killed.ended;
    const [cut] = await uploads();
    expect(cut?.status).toBe("open");
    const again = await spawnPlaytest(folder, ["games", "push", "big.bin", fixture.gameId], env).ended;
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("Pushed 286.1 MiB") });
    expect(await uploads()).toEqual([{ id: cut?.id, status: "completed" }]);
    expect((await builds())[0].size).toBe(300_000_000);
  });

  it("--order places an order after the push, and asks before it", async () => {
    const folder = folderWith({ "a.txt": "a", "order.yaml": "quantity: 2\n" });
    const refused = await at(folder, "a.txt", fixture.gameId, "--order", "order.yaml");
    expect([refused.code, (await builds()).length]).toEqual([2, 1]);
    const dear = await at(folder, "a.txt", fixture.gameId, "--order", "order.yaml", "--max-cost", "39");
    expect([dear.code, (await builds()).length]).toEqual([7, 1]);
    const pushed = result(await at(folder, "a.txt", fixture.gameId, "--order", "order.yaml", "--max-cost", "40", "--json"));
    expect(pushed.order).toMatchObject({ paid: true, totalCents: 4000, playtest: { quantity: 2, status: "active" } });
    const same = result(await at(folder, "a.txt", fixture.gameId, "--order", "order.yaml", "--yes", "--if-changed", "--json"));
    expect([same.skipped, same.order]).toEqual([true, undefined]);
  });

  describe("with --if-changed and --order", () => {
    const url = "http://127.0.0.1:9/b.zip";
    const line = (...flags: string[]) => [url, fixture.gameId, "--order", "order.yaml", "--max-cost", "40", ...flags];
    const place = (request: { method?: string; url?: string }) =>
      request.method === "POST" && request.url!.endsWith(`/games/${fixture.gameId}/playtests`);
    const never = () => false;
    const orders = async () => (await fixture.owner.get(`/games/${fixture.gameId}/playtests`)).body.data.playtests;
    let folder: string;
    beforeEach(() => {
      folder = folderWith({ "order.yaml": "quantity: 2\n" });
    });

    async function through(fault: "lost" | "refused", ...flags: string[]) {
      const way = await startFlakyNetwork(
        fixture.server.baseUrl,
        ...((fault === "lost" ? [place] : [never, place]) as [typeof place]),
      );
      const argv = ["games", "push", ...line(...flags), "--retries", "0"];
      return fixture.run(argv, { cwd: folder, baseUrl: way.baseUrl }).finally(way.close);
    }

    it("the next run retries an order that failed, and only once", async () => {
      const failed = await through("refused", "--if-changed");
      expect([failed.code, failed.stderr]).toEqual([
        10,
        expect.stringMatching(
          /The build was pushed, but nothing was ordered: .*\nRun the same command again: it skips the upload/,
        ),
      ]);
      expect([(await game()).buildUrl, await orders()]).toEqual([url, []]);
      const runs = await Promise.all([1, 2].map(() => at(folder, ...line("--if-changed", "--json"))));
      expect(runs.map(({ code, stdout }) => [code, JSON.parse(stdout).result.skipped])).toEqual([
        [0, true],
        [0, true],
      ]);
      const last = await at(folder, ...line("--if-changed"));
      expect(last.stdout).toBe(`Nothing to do: ${(await game()).name} already has this build. ${url}\n`);
      expect(await orders()).toHaveLength(1);
    });

    it("an order whose response was lost is not placed twice", async () => {
      expect((await through("lost", "--if-changed")).code).toBe(12);
      expect(result(await at(folder, ...line("--if-changed", "--json"))).order).toBeUndefined();
      expect(await orders()).toHaveLength(1);
    });

    it("an old build that is pushed again is ordered for again", async () => {
      for (const push of [line("--if-changed"), [`${url}?2`, fixture.gameId], line("--if-changed", "--json")])
        expect((await at(folder, ...push)).code).toBe(0);
      expect(await orders()).toHaveLength(2);
    });

    it("if there is nothing to do, it needs no funds and asks nothing", async () => {
      expect((await at(folder, ...line("--if-changed"))).code).toBe(0);
      writeFileSync(join(folder, "order.yaml"), "quantity: 100\n");
      expect(await at(folder, url, fixture.gameId, "--order", "order.yaml", "--if-changed")).toMatchObject({
        code: 0,
        stderr: "",
      });
    });

    it("without --if-changed, the error names the command that orders", async () => {
      const { code, stderr } = await through("refused");
      expect([code, stderr]).toEqual([
        10,
        expect.stringContaining(`To order: playtest playtests order ${fixture.gameId} -f order.yaml\n`),
      ]);
    });
  });

  it("--dry-run sends nothing", async () => {
    const folder = folderWith({ "a.txt": "a" });
    const { code, stdout } = await at(folder, "a.txt", fixture.gameId, "--dry-run", "--json");
    expect([code, JSON.parse(stdout).requests[0].path]).toEqual([0, `/api/v1/games/${fixture.gameId}/builds`]);
    expect(await builds()).toHaveLength(1);
  });

  it.each([
    [["none"], "none is neither a file nor a directory."],
    [["empty"], "empty contains no files to push."],
    [["void.zip"], "void.zip is empty."],
    [["a.txt", "--version-from", "file"], "has no VERSION"],
    [["broken", "--version-from", "file"], "has no VERSION"],
    [["a.txt", "--version-from", "file", "--version-label", "1"], "cannot be used together"],
    [["a.txt", "--put-url", "x"], "--put-url"],
    [["a.txt", "--put-url", "http://x", "--upload-cmd", "y"], "cannot be used together"],
    [["a.txt", "--order", "none.yaml"], "none.yaml"],
    [["ftp://example.com/a.zip"], "is neither a file nor a directory"],
  ])("refuses %j", async ([source, ...flags], message) => {
    const folder = folderWith({ "a.txt": "a", "void.zip": "", "empty/.DS_Store": "x", "broken/package.json": "{" });
    const { code, stdout, stderr } = await at(folder, source!, fixture.gameId, ...flags);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });
});

describe("games push to other storage", () => {
  let storage: Server;
  let address: string;
  const stored = new Map<string, Buffer>();
  let denyPut = false;

  beforeEach(async () => {
    stored.clear();
    denyPut = false;
    storage = createServer((request, response) => {
      const path = request.url!.split("?")[0]!;
      if (request.method === "PUT") {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          if (!denyPut) stored.set(path, Buffer.concat(chunks));
          response.writeHead(denyPut ? 403 : 200).end(denyPut ? "SignatureDoesNotMatch" : "");
        });
        return;
      }
      if (path === "/moved") return void response.writeHead(302, { location: "/b/a.txt" }).end();
      if (path === "/round") return void response.writeHead(302, { location: "/round" }).end();
      const body = stored.get(path);
      response.writeHead(body ? 200 : 404, { "content-length": body?.length ?? 0 }).end(request.method === "HEAD" ? "" : body);
    });
    await new Promise<void>((resolve) => storage.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`;
  });
  afterEach(() => void storage.close());

  it("--put-url uploads to a presigned URL, verifies it, and stores the hash in the build URL", async () => {
    const folder = folderWith({ "a.txt": "abc" });
    const pushed = result(await at(folder, "a.txt", fixture.gameId, "--put-url", `${address}/b/a.txt?sig=1`, "--json"));
    expect(stored.get("/b/a.txt")?.toString()).toBe("abc");
    expect(pushed.buildUrl).toBe(`${address}/b/a.txt#content-sha256=${pushed.sha256}`);
    expect((await game()).buildUrl).toBe(pushed.buildUrl);
    stored.clear();
    const again = result(
      await at(folder, "a.txt", fixture.gameId, "--put-url", `${address}/b/a.txt?sig=2`, "--if-changed", "--json"),
    );
    expect([again.skipped, stored.size]).toEqual([true, 0]);
  });

  it("--if-changed recognizes a directory on another machine by the hash of its files", async () => {
    const files = { "index.html": "<h1>", "data/a.bin": "x" };
    const to = `${address}/b/game.zip`;
    const first = result(await at(folderWith(files), ".", fixture.gameId, "--put-url", to, "--json"));
    expect(first.buildUrl).toBe(`${to}#content-sha256=${first.contentSha256}`);
    const before = stored.get("/b/game.zip");
    stored.clear();
    const there = folderWith(files);
    expect(result(await at(there, ".", fixture.gameId, "--put-url", to, "--if-changed", "--json")).skipped).toBe(true);
    expect(stored.size).toBe(0);
    chmodSync(join(there, "index.html"), 0o755);
    expect(result(await at(there, ".", fixture.gameId, "--put-url", to, "--if-changed", "--json")).skipped).toBe(false);
    expect(stored.get("/b/game.zip")?.length).toBe(before?.length);
  });

  it("verification follows redirects, but not forever", async () => {
    const folder = folderWith({ "a.txt": "abc" });
    const push = (publicUrl: string) =>
      at(folder, "a.txt", fixture.gameId, "--put-url", `${address}/b/a.txt`, "--public-url", `${address}${publicUrl}`);
    expect((await push("/moved")).code).toBe(0);
    expect(await push("/round")).toMatchObject({ code: 1, stderr: expect.stringContaining("/round returned 302.") });
  });

  it("the game is not changed if the storage refuses the upload or serves something else", async () => {
    const folder = folderWith({ "a.txt": "abc" });
    const before = (await game()).buildUrl;
    denyPut = true;
    const refused = await at(folder, "a.txt", fixture.gameId, "--put-url", `${address}/a.txt`);
    expect(refused).toMatchObject({
      code: 1,
      stderr: "error: The storage returned 403. The game's build was not changed.\nSignatureDoesNotMatch\n",
    });
    denyPut = false;
    const hidden = await at(folder, "a.txt", fixture.gameId, "--put-url", `${address}/a.txt`, "--public-url", `${address}/other`);
    expect(hidden.code).toBe(1);
    expect(hidden.stderr).toContain("/other returned 404. The game's build was not changed.");
    expect((await game()).buildUrl).toBe(before);
    const unchecked = await at(
      folder,
      "a.txt",
      fixture.gameId,
      "--put-url",
      `${address}/a.txt`,
      "--public-url",
      `${address}/other`,
      "--no-verify",
    );
    expect(unchecked.code).toBe(0);
    expect((await game()).buildUrl).toMatch(/\/other#content-sha256=/);
  });

  it("storage that cannot be reached is no reason to look at the address of the server", async () => {
    const folder = folderWith({ "a.txt": "a" });
    const nobody = "http://127.0.0.1:9";
    for (const words of [
      ["--put-url", `${nobody}/a.txt`],
      ["--upload-cmd", `echo ${nobody}/a.txt`],
    ]) {
      const { code, stderr } = await at(folder, "a.txt", fixture.gameId, ...words);
      expect([code, stderr]).toEqual([10, `error: Cannot reach ${nobody}: connection refused.\n`]);
    }
  });

  it("--upload-cmd uploads with a command whose last output line is the URL", async () => {
    const folder = folderWith({ "it's a.txt": "abc" });
    const script = `cp {file} ${folder}/copy && echo uploading && echo ${address}/cmd`;
    stored.set("/cmd", Buffer.from("abc"));
    const pushed = result(await at(folder, "it's a.txt", fixture.gameId, "--upload-cmd", script, "--json"));
    expect(readFileSync(join(folder, "copy"), "utf8")).toBe("abc");
    expect(pushed.buildUrl).toBe(`${address}/cmd#content-sha256=${pushed.sha256}`);
    const failed = await at(folder, "it's a.txt", fixture.gameId, "--upload-cmd", "echo no >&2; exit 3");
    expect(failed).toMatchObject({
      code: 1,
      stderr: "no\nerror: --upload-cmd exited with code 3. The game's build was not changed.\n",
    });
    expect((await at(folder, "it's a.txt", fixture.gameId, "--upload-cmd", "echo done")).stderr).toContain(
      "did not print a URL as its last line",
    );
  });

  it("uses a URL unchanged", async () => {
    const url = "https://example.com/new.zip";
    expect(result(await at(testFolder(), url, fixture.gameId, "--json"))).toMatchObject({ buildUrl: url, skipped: false });
    expect(result(await at(testFolder(), url, fixture.gameId, "--if-changed", "--json")).skipped).toBe(true);
  });
});
