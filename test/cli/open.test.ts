import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { startHosted } from "../helpers/hosted.ts";
import { eachDesk, named } from "../helpers/owner.ts";
import { play, registerPlaytester } from "../helpers/story.ts";
import { stubServer } from "../helpers/stub-server.ts";

const desk = eachDesk();

/** A browser that writes down what it was given, and is there when it has. */
function browser() {
  const folder = testFolder();
  const program = join(folder, "browser");
  const seen = join(folder, "seen");
  writeFileSync(program, `#!/bin/sh\nprintf '%s|' "$@" > "${seen}.part"; mv "${seen}.part" "${seen}"\n`);
  chmodSync(program, 0o755);
  const given = async () => {
    while (!existsSync(seen)) await desk.server.request("GET", "/info/server");
    return readFileSync(seen, "utf8");
  };
  return { program, given };
}

describe("open", () => {
  it("opens the browser on a terminal, and says what", async () => {
    const { program, given } = browser();
    const { code, stdout } = await desk.run("open", { tty: true, env: { BROWSER: program } });
    expect([code, named(stdout)]).toEqual([0, "Opened http://SERVER/play\n"]);
    expect(await given()).toBe(`${desk.server.baseUrl}/play|`);
  });

  it("prints the address where there is no browser", async () => {
    const { code, stdout, stderr } = await desk.run("open docs", { tty: true, env: { BROWSER: "/nonexistent/browser" } });
    expect([code, named(stdout)]).toEqual([0, "http://SERVER/api/v1/openapi.json\n"]);
    expect(stderr).toContain("No browser could be opened");
  });

  it("prints the address without a terminal, or when asked to", async () => {
    const env = { BROWSER: "/nonexistent/browser" };
    for (const options of [{ tty: false }, { tty: true }])
      expect(await desk.run(`open home${options.tty ? " --print" : ""}`, { ...options, env })).toMatchObject({
        code: 0,
        stdout: `${desk.server.baseUrl}/play\n`,
        stderr: "",
      });
  });

  it("finds what an id stands for", async () => {
    const playtest = await desk.order();
    expect((await desk.run(`open ${desk.gameId}`)).stdout).toBe(`${desk.server.baseUrl}/build.zip\n`);
    await desk.owner.patch(`/games/${desk.gameId}`, { externalUrl: "https://lantern.example/" });
    expect((await desk.run(`open ${desk.gameId}`)).stdout).toBe("https://lantern.example/\n");
    expect((await desk.run(`open ${playtest}`)).stdout).toBe(`${desk.server.baseUrl}/play\n`);
    const slot = await play(desk.server, await registerPlaytester(desk.server), playtest);
    const { stdout } = await desk.run(`open ${slot}`);
    expect((await fetch(stdout.trim())).status).toBe(200);
    const unknown = await desk.run("open 00000000-0000-7000-8000-000000000000");
    expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining("is no game, playtest or slot of yours") });
  });

  it("says which command does what has no page", async () => {
    const { code, stderr } = await desk.run("open billing");
    expect([code, stderr]).toEqual([3, expect.stringContaining("playtest billing credit add --open")]);
  });

  it("knows the pages of a hosted service", async () => {
    const hosted = await startHosted(desk.server.baseUrl, "html");
    try {
      const at = async (what: string) => (await desk.run(`open ${what}`, { baseUrl: hosted.baseUrl })).stdout.trim();
      expect(await at("keys")).toBe(`${hosted.baseUrl}/dashboard/settings/api-keys`);
      expect(await at("docs")).toBe(`${hosted.baseUrl}/docs/api`);
      expect(await at(await desk.order())).toBe(`${hosted.baseUrl}/dashboard`);
    } finally {
      await hosted.close();
    }
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "--help"])("does not open %s, whoever says so", async (externalUrl) => {
    const { program } = browser();
    const { baseUrl } = await stubServer([{ on: "GET /games/any", data: { game: { id: "any", externalUrl, buildUrl: "" } } }]);
    const { code, stdout } = await desk.run("open any", { baseUrl, tty: true, env: { BROWSER: program } });
    expect([code, stdout]).toEqual([2, ""]);
  });
});
