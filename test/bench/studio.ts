import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Figure, inTurn } from "./measure.ts";
import { api, grantCredit } from "./order.ts";
import { type Served, serveDemo } from "./serve.ts";

const cli = join(import.meta.dirname, "../../bin/playtest.js");
const goal = 3;
const perRun = 20;

/** `playtest studio` for the server, with the cookie of the one browser that may see it. */
async function openStudio({ baseUrl, ownerKey }: Served) {
  const env = { ...process.env, PLAYTEST_BASE_URL: baseUrl, PLAYTEST_API_KEY: ownerKey };
  const child = spawn(process.execPath, [cli, "studio", "--no-open"], { stdio: ["ignore", "pipe", "ignore"], env });
  const [line] = (await once(createInterface(child.stdout!), "line")) as [string];
  const url = /http:\S+/.exec(line)![0];
  const entered = await fetch(url, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
  async function close() {
    child.kill("SIGINT");
    if (child.exitCode === null) await once(child, "exit");
  }
  // All pages are in a secret folder.
  const folder = entered.headers.get("location")!.replace(/\/studio$/, "");
  return { base: new URL(url).origin + folder, cookie, close };
}

/** A submitted video with 50 moments. Returns the ids of its slot and playtest. */
async function submission(served: Served): Promise<{ slot: string; playtest: string }> {
  await grantCredit(served, 10_000);
  const body = { visibility: "private", quantity: 1, durationMinutes: 60, playerCount: 1 };
  const call = async <T>(method: string, path: string, more?: object) =>
    (await api(served, served.ownerKey, method, path, more)).data as T;
  const { playtest } = await call<{ playtest: { id: string } }>("POST", `/games/${served.gameId}/playtests`, body);
  const { slots } = await call<{ slots: { id: string }[] }>("GET", `/playtests/${playtest.id}/slots`);
  const slot = slots[0]!.id;
  await call("POST", `/sandbox/slots/${slot}/play`, {});
  for (let n = 0; n < 50; n++) await call("POST", `/slots/${slot}/moments`, { atMs: n * 50, text: `Moment ${n}`, kind: "bug" });
  return { slot, playtest: playtest.id };
}

/** What each page calls to be rendered. */
const callsOf = (slot: string, playtest: string): Record<string, readonly string[]> => ({
  [`/studio/slots/${slot}`]: [
    `/slots/${slot}`,
    `/playtests/${playtest}`,
    `/slots/${slot}/moments?limit=50`,
    `/slots/${slot}/transcript`,
    "/submissions?limit=100",
    "/chat/contacts",
    `/shares?limit=50&slot=${slot}`,
    `/slots/${slot}/clips?limit=20`,
    "/chat/unread-count",
  ],
  [`/studio/playtests/${playtest}`]: [
    `/playtests/${playtest}`,
    `/playtests/${playtest}/slots?limit=100`,
    `/shares?limit=50&playtest=${playtest}`,
    "/chat/unread-count",
  ],
  "/studio/games": ["/games", "/chat/unread-count"],
});

async function timed(paths: readonly string[], base: string, headers: Record<string, string>): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < perRun; n++)
    for (const path of paths) {
      const reply = await fetch(base + path, { headers });
      await reply.arrayBuffer();
      if (!reply.ok && reply.status !== 404) throw new Error(`${path}: ${reply.status}`);
    }
  return (performance.now() - started) / perRun;
}

/** `studio`: pages of `playtest studio`, against the API calls that each of them makes, one after the other. */
export async function studio(): Promise<Figure[]> {
  const served = await serveDemo();
  const { base, cookie, close } = await openStudio(served);
  const figures: Figure[] = [];
  try {
    const { slot, playtest } = await submission(served);
    for (const [path, calls] of Object.entries(callsOf(slot, playtest))) {
      const paths = calls.map((call) => `/api/v1${call}`);
      const times = await inTurn([
        { name: "page", run: () => timed([path], base, { cookie }) },
        { name: "calls", run: () => timed(paths, served.baseUrl, { authorization: `Bearer ${served.ownerKey}` }) },
      ]);
      const [page, behind] = [times.get("page")!, times.get("calls")!];
      figures.push({
        name: "studio",
        what: `${path.replace(slot, "SLOT").replace(playtest, "PLAYTEST")} against its ${calls.length} API calls`,
        ratio: page / behind,
        goal: `≤ ${goal}×`,
        met: page / behind <= goal,
        raw: `${page.toFixed(1)} / ${behind.toFixed(1)} ms`,
      });
    }
    return figures;
  } finally {
    await close();
    await served.stop();
  }
}
