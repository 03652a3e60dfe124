import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playtest } from "../helpers/cli.ts";
import { connect } from "../helpers/mcp.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { freshFolder } from "../helpers/store.ts";

describe("mcp install", () => {
  it("prints what a client starts, without the API key", async () => {
    const { stdout } = await playtest(["mcp", "install", "vscode", "--print", "--allow", "read,order", "--profile", "studio"]);
    expect(JSON.parse(stdout)).toEqual({
      servers: {
        playtest: {
          type: "stdio",
          command: "playtest",
          args: ["mcp", "run", "--profile", "studio", "--allow", "read,order"],
        },
      },
    });
  });

  it.each([
    ["claude-code", ".mcp.json", "mcpServers"],
    ["cursor", ".cursor/mcp.json", "mcpServers"],
    ["vscode", ".vscode/mcp.json", "servers"],
  ])("adds the server to the settings of %s, and keeps the rest", async (client, file, list) => {
    const cwd = freshFolder();
    expect((await playtest(["mcp", "install", client], { cwd })).code).toBe(0);
    const path = join(cwd, file);
    const written = JSON.parse(readFileSync(path, "utf8"));
    expect(written[list].playtest.args).toEqual(["mcp", "run"]);
    writeFileSync(path, JSON.stringify({ other: 1, [list]: { another: { command: "x" } } }));
    expect((await playtest(["mcp", "install", client, "--allow", "order"], { cwd })).code).toBe(0);
    const merged = JSON.parse(readFileSync(path, "utf8"));
    expect(merged).toMatchObject({ other: 1, [list]: { another: { command: "x" }, playtest: { command: "playtest" } } });
    writeFileSync(path, "// not JSON\n{}");
    const refused = await playtest(["mcp", "install", client], { cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("is not a JSON object. Nothing was changed.");
    expect(readFileSync(path, "utf8")).toBe("// not JSON\n{}");
  });

  it("writes the flags that say which instance and key are used", async () => {
    const cwd = freshFolder();
    const base = ["mcp", "install", "cursor", "--print", "--base-url", "http://pt.example.com"];
    const { stdout } = await playtest([...base, "--insecure", "--api-key-file", "key", "--timeout", "2m"], { cwd });
    expect(JSON.parse(stdout).mcpServers.playtest.args).toEqual([
      "mcp",
      "run",
      "--base-url",
      "http://pt.example.com",
      "--api-key-file",
      join(cwd, "key"),
      "--insecure",
      "--timeout",
      "2m",
    ]);
    const refused = await playtest([...base, "--api-key-file", "-"], { cwd, stdin: "pt_sk_0123456789" });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--api-key-file - cannot be used here")]);
  });

  it("adds to settings that begin with a byte order mark", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, ".mcp.json"), '\ufeff{"other":1}\r\n');
    expect((await playtest(["mcp", "install", "claude-code"], { cwd })).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, ".mcp.json"), "utf8"))).toMatchObject({ other: 1, mcpServers: {} });
  });

  it("refuses another client and an unknown toolset", async () => {
    expect((await playtest(["mcp", "install", "emacs"])).code).toBe(2);
    expect((await playtest(["mcp", "install", "cursor", "--print", "--allow", "reed"])).code).toBe(2);
    const refused = await playtest(["mcp", "--allow", "everything"], { env: { PLAYTEST_API_KEY: "pt_sk_0123456789" } });
    expect(refused.stderr).toContain('--allow: "everything" is not one of read, order, build, review.');
    expect((await playtest(["mcp"])).code).toBe(4);
  });
});

describe("mcp run", () => {
  it.each([
    ["--root .", "--root requires --allow build. Nothing was started."],
    ["--allow read,review --root .", "--root requires --allow build. Nothing was started."],
    ["--reviews-per-day 5", "--reviews-per-day requires --allow review. Nothing was started."],
    ["--allow order,build --reviews-per-day 0", "--reviews-per-day requires --allow review. Nothing was started."],
  ])("refuses %s, which would have no effect", async (flags, message) => {
    const refused = await playtest(["mcp", "run", ...flags.split(" ")], { env: { PLAYTEST_API_KEY: "pt_sk_0123456789" } });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("push_build", () => {
  const fixture = eachOwnerFixture();

  it("uploads what is below the root, and nothing that is elsewhere", async () => {
    const { server, owner, gameId } = fixture;
    const folder = freshFolder();
    const [root, outside] = [join(folder, "root"), join(folder, "outside")];
    for (const path of [join(root, "build"), outside]) mkdirSync(path, { recursive: true });
    writeFileSync(join(root, "build/game.txt"), "version 1");
    writeFileSync(join(outside, "secret.txt"), "nothing to see");
    symlinkSync(outside, join(root, "link"));
    const builds = async () => (await owner.get(`/games/${gameId}/builds`)).body.data.builds.length as number;
    const before = await builds();
    const { call } = await connect({ transport: "stdio", baseUrl: server.baseUrl, key: owner.key, folder: root });
    for (const path of ["..", "../outside", outside, "link", "link/secret.txt", "/etc/passwd", "nothing", "--help"]) {
      const refused = await call("push_build", { path, game: gameId });
      expect(refused.content[0]!.text).toContain(
        "is not a file or folder inside the folder that --root names. Nothing was sent.",
      );
    }
    expect(await builds()).toBe(before);
    const pushed = await call("push_build", { path: "build", game: gameId });
    expect(pushed.structuredContent).toMatchObject({ game: gameId, skipped: false });
    expect(await builds()).toBe(before + 1);
    const again = await call("push_build", { path: "build", game: gameId });
    expect(again.structuredContent).toMatchObject({ skipped: true });
    expect(await builds()).toBe(before + 1);
  });

  it.each([
    ["without a warning", {}],
    ["after a warning", { "con.txt": "a name that Windows does not allow" }],
  ])("says why a build was refused, %s", async (_, more) => {
    const { server, owner, gameId } = fixture;
    const folder = freshFolder();
    for (const [name, text] of Object.entries({ "game.txt": "1", ".env": "KEY=1", ...more }))
      writeFileSync(join(folder, name), text);
    const { call } = await connect({ transport: "stdio", baseUrl: server.baseUrl, key: owner.key, folder });
    const refused = await call("push_build", { path: ".", game: gameId });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]!.text).toContain("The build contains files that look secret, so nothing was sent: .env");
  });
});
