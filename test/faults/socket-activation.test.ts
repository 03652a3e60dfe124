import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as net from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { program, readyFile } from "../helpers/process.ts";
import { freshFolder } from "../helpers/store.ts";

interface Handle {
  fd: number;
  getsockname(out: { port?: number }): number;
  close(): void;
}

const handles: Handle[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "close");
  for (const handle of handles.splice(0)) handle.close();
});

/** A socket that stays open while servers come and go, as a socket unit of systemd keeps one; nobody here takes its connections. */
function openSocket() {
  const create = (net as unknown as { _createServerHandle(address: string, port: number, type: 4): Handle })._createServerHandle;
  const handle = create("127.0.0.1", 0, 4);
  handles.push(handle);
  const out: { port?: number } = {};
  handle.getsockname(out);
  return { fd: handle.fd, port: out.port! };
}

/** Starts `serve run` as systemd does: the process has the socket as its fourth file and knows that it is meant for it. */
function startService(folder: string, { fd, sockets = 1 }: { fd: number; sockets?: number }, flags: string[] = [], env = {}) {
  const ready = join(folder, "ready.json");
  rmSync(ready, { force: true });
  const argv = [process.execPath, program, "serve", "run", "--data", folder, "--drain", "0", "--ready-file", ready, ...flags];
  const script = `LISTEN_PID=$$ LISTEN_FDS=${sockets} exec "$@"`;
  const child = spawn("sh", ["-c", script, "sh", ...argv], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, PLAYTEST_CONFIG_DIR: join(folder, "config"), ...env },
    stdio: ["ignore", "ignore", "pipe", fd],
  });
  children.push(child);
  let stderr = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stderr }));
  return { child, ended, ready: () => readyFile(ready) };
}

describe("a socket that systemd has opened", () => {
  it("takes connections while the server restarts, and the next process answers them", async () => {
    const folder = freshFolder();
    const socket = openSocket();
    const before = startService(folder, socket, ["--host", "localhost"]);
    const { baseUrl } = await before.ready();
    expect(baseUrl).toBe(`http://127.0.0.1:${socket.port}`);
    before.child.kill("SIGTERM");
    expect((await before.ended).code).toBe(0);

    const waiting = [1, 2, 3].map(() => fetch(`${baseUrl}/readyz`));
    await startService(folder, socket).ready();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it.each<[string, string[], number, string]>([
    ["another port", ["--port", "9"], 1, "and --host or --port says otherwise. The server was not started"],
    ["another address", ["--host", "::1"], 1, "and --host or --port says otherwise. The server was not started"],
    ["two sockets", [], 2, "systemd passes 2 sockets, and the server listens on one. The server was not started"],
  ])("is refused with %s", async (_, flags, sockets, message) => {
    const { code, stderr } = await startService(freshFolder(), { ...openSocket(), sockets }, flags).ended;
    expect({ code, message: stderr.includes(message) || stderr }).toEqual({ code: 2, message: true });
  });

  it("is not taken by a process that it is not for", async () => {
    const folder = freshFolder();
    const ready = join(folder, "ready.json");
    const argv = [program, "serve", "run", "--data", folder, "--port", "0", "--ready-file", ready];
    const env = { PATH: process.env.PATH, HOME: folder, LISTEN_FDS: "1", LISTEN_PID: "1" };
    const socket = openSocket();
    children.push(spawn(process.execPath, argv, { cwd: folder, env, stdio: ["ignore", "ignore", "ignore", socket.fd] }));
    expect((await readyFile(ready)).baseUrl).not.toBe(`http://127.0.0.1:${socket.port}`);
  });
});

describe("what systemd is told", () => {
  it("is when the server accepts requests, that it is alive, and when it stops", async () => {
    const folder = freshFolder();
    const said = join(folder, "said");
    writeFileSync(join(folder, "systemd-notify"), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${said}\n`);
    chmodSync(join(folder, "systemd-notify"), 0o755);
    const env = { PATH: `${folder}:${process.env.PATH}`, NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "20000" };
    const service = startService(folder, openSocket(), [], env);
    await service.ready();
    const lines = () => (existsSync(said) ? readFileSync(said, "utf8").trim().split("\n") : []);
    await expect.poll(() => lines().filter((line) => line.endsWith("WATCHDOG=1")).length).toBeGreaterThan(2);
    service.child.kill("SIGTERM");
    await service.ended;
    const states = lines().map((line) => line.replace("/run/notify ", ""));
    expect([states[0], ...new Set(states.slice(1))]).toEqual(["READY=1", "WATCHDOG=1", "STOPPING=1"]);
  });
});
