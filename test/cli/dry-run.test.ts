import diagnostics from "node:diagnostics_channel";
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playtest, testFolder } from "../helpers/cli.ts";
import { everyCommand } from "../helpers/every-command.ts";
import { sha256 } from "../helpers/tus.ts";
import { oneWorld, runCall } from "../helpers/walk.ts";

const world = oneWorld();

/** Requests of commands that are not reads, as `POST /path`. */
const changes: string[] = [];
const note = (message: unknown) => {
  const { method, url, headers } = (message as { request: IncomingMessage }).request;
  if (method !== "GET" && headers["user-agent"]?.startsWith("playtest-cli/")) changes.push(`${method} ${url}`);
};
beforeAll(() => diagnostics.subscribe("http.server.request.start", note));
afterAll(() => void diagnostics.unsubscribe("http.server.request.start", note));

/** The files in folders with their content and permissions. What SQLite keeps beside a database comes and goes with its readers. */
function filesIn(folders: readonly string[]): string[] {
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).map(
      (entry) => [entry, join(entry.parentPath, entry.name)] as const,
    ),
  );
  const files = paths.filter(([entry, path]) => entry.isFile() && !/-(wal|shm)$/.test(path)).map(([, path]) => path);
  return files.sort().map((path) => `${path} ${statSync(path).mode.toString(8)} ${sha256(readFileSync(path))}`);
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** They read, and what they read goes into a file. */
const saves = ["review download", "billing invoice", "webhooks listen"];

describe("--dry-run changes nothing, at the server or on this machine:", () => {
  it.each(Object.keys(everyCommand).filter((path) => !saves.includes(path)))("%s", async (path) => {
    const given = await everyCommand[path]!(world);
    const { words = "", cwd = testFolder(), env } = given;
    const call = { ...given, cwd, env: { PLAYTEST_CONFIG_DIR: testFolder(), ...env } };
    const named = (typeof words === "string" ? words.split(" ") : words).filter((word) => word.startsWith("/") && isFolder(word));
    const folders = [cwd, call.env.PLAYTEST_CONFIG_DIR, ...named];
    const before = filesIn(folders);
    changes.splice(0);
    const { code, stderr } = await runCall(world, path, call, ["--dry-run", "--yes"]);
    expect([changes, filesIn(folders)], stderr).toEqual([[], before]);
    expect(code, stderr).toBeLessThan(70);
  });

  it.each(["doctor --fix", "doctor --mail-to ada@example.com", "migrate", "upgrade", "move-files --to disk", "run --port 0"])(
    "serve %s",
    async (line) => {
      const folder = testFolder();
      const { code, stderr } = await playtest(["serve", ...line.split(" "), "--data", folder, "--dry-run"]);
      expect([code, stderr, filesIn([folder])]).toEqual([2, expect.stringContaining("Nothing was changed."), []]);
    },
  );
});
