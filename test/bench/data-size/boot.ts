import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../../server/database/open.ts";
import { type Figure, inTurn } from "../measure.ts";
import { serveIn } from "../serve.ts";

const cli = join(import.meta.dirname, "../../../bin/playtest.js");
const rounds = 9;
const gigabyte = 1e9;
const rowBytes = 10_000;

/** `boot`: from the start of `serve` to its first reply, on a new database and on one of 1 GB, against an empty node. */
export async function boot(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    const [small, large] = [await folderOf(folder, 0), await folderOf(folder, gigabyte)];
    const times = await inTurn(
      [
        { name: "node", run: async () => emptyNode() },
        { name: "small", run: () => firstReply(small) },
        { name: "large", run: () => firstReply(large) },
      ],
      rounds,
    );
    const [node, ofSmall, ofLarge] = ["node", "small", "large"].map((name) => times.get(name)!) as [number, number, number];
    const raw = (ms: number, base: number) => `${ms.toFixed(0)} / ${base.toFixed(0)} ms`;
    const [start, growth] = [ofSmall / node, ofLarge / ofSmall];
    return [
      { name: "boot", what: "serve to its first reply", ratio: start, goal: "≤ 4×", met: start <= 4, raw: raw(ofSmall, node) },
      {
        name: "boot",
        what: `with a database of ${(statSync(join(large, "playtest.db")).size / gigabyte).toFixed(1)} GB, against an empty one`,
        ratio: growth,
        goal: "≤ 1.2×",
        met: growth <= 1.2,
        raw: raw(ofLarge, ofSmall),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function emptyNode(): number {
  const started = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - started;
}

/** A data folder whose server was stopped, with about as many bytes in its database. */
async function folderOf(folder: string, bytes: number): Promise<string> {
  const dataDir = mkdtempSync(join(folder, "data-"));
  await (await serveIn(dataDir, ["--sandbox"])).stop();
  const store = await openStore({ dataDir });
  for (let written = 0; written < bytes; written += 1_000 * rowBytes)
    await store.write(async (tx) => {
      for (let index = 0; index < 1_000; index++) {
        const text = randomBytes(rowBytes / 2).toString("hex");
        await tx.run(
          "INSERT INTO mails (id, recipient, subject, text_body, created_at, sent_at) VALUES (?, ?, ?, ?, ?, ?)",
          randomBytes(16).toString("hex"),
          "owner@example.com",
          "A submission waits for your review",
          text,
          written + index,
          written + index,
        );
      }
    });
  await store.close();
  return dataDir;
}

/** Milliseconds from the start of the process to the first reply of 200. */
async function firstReply(dataDir: string): Promise<number> {
  const port = await freePort();
  const started = performance.now();
  const args = [cli, "serve", "run", "--sandbox", "--port", String(port), "--data", dataDir];
  const child = spawn(process.execPath, args, { stdio: "ignore", env: { ...process.env, NODE_ENV: "production" } });
  try {
    while (!(await isUp(port))) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      await sleep(1);
    }
    return performance.now() - started;
  } finally {
    await stop(child);
  }
}

const isUp = (port: number) =>
  fetch(`http://127.0.0.1:${port}/livez`).then(
    ({ status }) => status === 200,
    () => false,
  );

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

function stop(child: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  return ended;
}
