import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { testFolder } from "../helpers/cli.ts";
import { personWith, play, registerPlaytester } from "../helpers/factories.ts";
import { startHosted } from "../helpers/hosted.ts";
import { eachOwnerFixture, named } from "../helpers/owner-fixture.ts";
import { stubServer } from "../helpers/stub-server.ts";

const fixture = eachOwnerFixture();

/** A browser that writes down what it was given, and is there when it has. */
function browser() {
  const folder = testFolder();
  const program = join(folder, "browser");
  const seen = join(folder, "seen");
  writeFileSync(program, `#!/bin/sh\nprintf '%s|' "$@" > "${seen}.part"; mv "${seen}.part" "${seen}"\n`);
  chmodSync(program, 0o755);
  const given = async () => {
    while (!existsSync(seen)) await fixture.server.request("GET", "/info/server");
    return readFileSync(seen, "utf8");
  };
  return { program, given };
}

describe("open", () => {
  it("opens the browser on a terminal, and says what", async () => {
    const { program, given } = browser();
    const { code, stdout } = await fixture.run("open", { tty: true, env: { BROWSER: program } });
    expect([code, named(stdout)]).toEqual([0, "Opened http://SERVER/studio\n"]);
    expect(await given()).toBe(`${fixture.server.baseUrl}/studio|`);
  });

  it("prints the address where there is no browser", async () => {
    const { code, stdout, stderr } = await fixture.run("open docs", { tty: true, env: { BROWSER: "/nonexistent/browser" } });
    expect([code, named(stdout)]).toEqual([0, "http://SERVER/docs\n"]);
    expect(stderr).toContain("Cannot open a browser");
  });

  it("prints the address without a terminal, or when asked to", async () => {
    const env = { BROWSER: "/nonexistent/browser" };
    for (const options of [{ tty: false }, { tty: true }])
      expect(await fixture.run(`open home${options.tty ? " --print" : ""}`, { ...options, env })).toMatchObject({
        code: 0,
        stdout: `${fixture.server.baseUrl}/studio\n`,
        stderr: "",
      });
  });

  it("finds what an id stands for", async () => {
    const playtest = await fixture.order();
    expect((await fixture.run(`open ${fixture.gameId}`)).stdout).toBe(`${fixture.server.baseUrl}/build.zip\n`);
    await fixture.owner.patch(`/games/${fixture.gameId}`, { externalUrl: "https://lantern.example/" });
    expect((await fixture.run(`open ${fixture.gameId}`)).stdout).toBe("https://lantern.example/\n");
    expect((await fixture.run(`open ${playtest}`)).stdout).toBe(`${fixture.server.baseUrl}/studio/playtests/${playtest}\n`);
    const slot = await play(fixture.server, await registerPlaytester(fixture.server), playtest);
    const { stdout } = await fixture.run(`open ${slot}`);
    expect((await fetch(stdout.trim())).status).toBe(200);
    const unknown = await fixture.run("open 00000000-0000-7000-8000-000000000000");
    expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining("No page, game, playtest or slot found for") });
  });

  it("opens the home page of who asks", async () => {
    const [tester, admin] = [
      await registerPlaytester(fixture.server),
      personWith(fixture.server, (await ensureAdmin(fixture.server.deps))!, ""),
    ];
    const home = async (key: string) => (await fixture.run("open", { key })).stdout.replace(fixture.server.baseUrl, "");
    expect([await home(tester.key), await home(admin.key), await home("")]).toEqual(["/play\n", "/\n", "/play\n"]);
  });

  it("says which command does what has no page", async () => {
    const { code, stderr } = await fixture.run("open billing");
    expect([code, stderr]).toEqual([3, expect.stringContaining("playtest billing credit add --open")]);
  });

  it("knows the pages of a hosted service", async () => {
    const hosted = await startHosted(fixture.server.baseUrl, "html");
    try {
      const at = async (what: string) => (await fixture.run(`open ${what}`, { baseUrl: hosted.baseUrl })).stdout.trim();
      expect(await at("keys")).toBe(`${hosted.baseUrl}/dashboard/settings/api-keys`);
      expect(await at("docs")).toBe(`${hosted.baseUrl}/docs/api`);
      expect(await at(await fixture.order())).toBe(`${hosted.baseUrl}/dashboard`);
    } finally {
      await hosted.close();
    }
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "--help"])("does not open %s, whoever says so", async (externalUrl) => {
    const { program } = browser();
    const { baseUrl } = await stubServer([
      { on: "GET /games/any", data: { game: { id: "any", name: "Any", externalUrl, buildUrl: "" } } },
    ]);
    const { code, stdout } = await fixture.run("open any", { baseUrl, tty: true, env: { BROWSER: program } });
    expect([code, stdout]).toEqual([2, ""]);
  });
});
