import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { signatureHeaders } from "../../server/events/webhooks/signature.ts";
import { checkout, shellPath, startDemo } from "../helpers/checkout.ts";
import { killLeftovers } from "../helpers/process.ts";

/** The files of test/examples, which the documentation shows for people to copy, do what they promise on a real server. */

const examples = join(import.meta.dirname, "../examples");
const root = join(import.meta.dirname, "../..");

let server: Awaited<ReturnType<typeof startDemo>>;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startDemo();
});
afterAll(killLeftovers);

beforeEach(() => {
  folder = checkout();
  env = {
    PATH: shellPath(folder),
    HOME: folder,
    PLAYTEST_CONFIG_DIR: join(folder, "config"),
    PLAYTEST_API_KEY: server.ownerKey!,
    PLAYTEST_BASE_URL: server.baseUrl,
    PLAYTEST_GAME: server.gameId!,
  };
});

const copy = (...names: string[]) => {
  for (const name of names) copyFileSync(join(examples, name), join(folder, name));
};

function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: "utf8" });
  return { status, stdout, stderr };
}
const shell = (script: string) => run("sh", "-ec", script);

describe("ci-job.sh", () => {
  beforeEach(() => {
    copy("ci-job.sh", "order.yaml");
    env.CI = "true";
  });
  const latest = `$(playtest playtests list "$PLAYTEST_GAME" --limit 1 --jq '.playtests[0].id')`;
  const slots = `$(playtest playtests slots ${latest} --jq '.slots[].id')`;

  it("pushes and orders a new build once, and passes while it is not reviewed", () => {
    const first = run("sh", "ci-job.sh");
    expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Pushed .*\nOrdered .* for \$30\.00/) });
    const again = run("sh", "ci-job.sh");
    expect([again.status, again.stdout]).toEqual([0, expect.not.stringMatching(/^Ordered /m)]);
  });

  it.each([
    ["passes when all are accepted", `playtest review accept ${slots} --yes`, 0],
    ["fails with 13 when two are rejected", `playtest review reject ${slots} --reason 'No sound.' --yes`, 13],
  ])("%s", (_, judge, status) => {
    expect(run("sh", "ci-job.sh").status).toBe(0);
    expect(shell(`for slot in ${slots}; do playtest api POST sandbox/slots/$slot/play; done; ${judge}`).status).toBe(0);
    expect(run("sh", "ci-job.sh").status).toBe(status);
  });
});

it("orders.csv: priced, ordered, and no row twice", () => {
  copy("orders.csv");
  shell(`playtest games use ${server.gameId}`);
  expect(shell("playtest bulk orders.csv --plan")).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("2 orders, 3 slots: $50.00"),
  });
  const ordered = shell("playtest bulk orders.csv --max-cost 50");
  expect(ordered).toMatchObject({ status: 0, stderr: expect.stringContaining("2 playtests ordered for $50.00") });
  expect(shell("playtest bulk orders.csv --max-cost 50")).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("2 already ordered"),
  });
});

describe("webhook-receiver.mjs", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const body = JSON.stringify({ event: "slot.submitted", timestamp: "2026-01-31T08:00:00.000Z", data: { slotId: "s" } });

  async function start() {
    const child = spawn(process.execPath, [join(examples, "webhook-receiver.mjs")], {
      env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (text: Buffer) => {
      said += text;
    });
    const until = async (text: RegExp) => {
      while (!text.test(said)) await once(child.stdout, "data");
      return text.exec(said)!;
    };
    const [, url] = await until(/Listening on (\S+)/);
    const stop = async () => {
      child.kill();
      await once(child, "close");
    };
    return { url: url!, until, stop, said: () => said };
  }

  it("accepts an event that the server signs and sends, and prints it", async () => {
    const receiver = await start();
    try {
      writeFileSync(join(folder, "secret.txt"), secret);
      expect(shell("playtest webhooks trigger slot.submitted").status).toBe(0);
      const forward = `playtest listen --forward-to ${receiver.url} --secret-file secret.txt --from-start --count 1`;
      expect(shell(forward)).toMatchObject({ status: 0 });
      await receiver.until(/slot\.\w+ \{/);
    } finally {
      await receiver.stop();
    }
  });

  it("refuses what is not signed, is signed otherwise, or is old; handles the same event once", async () => {
    const receiver = await start();
    const now = Math.floor(Date.now() / 1000);
    const send = async (headers: Record<string, string>, text = body) =>
      (await fetch(receiver.url, { method: "POST", headers, body: text })).status;
    const signed = (more: object = {}) => signatureHeaders({ id: "msg_1", timestamp: now, body, secret, ...more });
    try {
      expect(await send({})).toBe(401);
      expect(await send(signed({ secret: `whsec_${Buffer.alloc(32, 8).toString("base64")}` }))).toBe(401);
      expect(await send(signed(), `${body} `)).toBe(401);
      expect(await send(signed({ timestamp: now - 3600 }))).toBe(401);
      expect([await send(signed()), await send(signed()), await send(signed({ id: "msg_2" }))]).toEqual([204, 204, 204]);
      await receiver.until(/slot\.submitted[\s\S]*slot\.submitted/);
      expect(receiver.said().match(/slot\.submitted/g)?.length).toBe(2);
    } finally {
      await receiver.stop();
    }
  });
});

describe("order-and-list.mjs", () => {
  /** The package as an installed one: its sources, by the loader that runs them in a checkout. */
  function install() {
    copy("order-and-list.mjs");
    const installed = join(folder, "node_modules/playtest-cli");
    mkdirSync(installed, { recursive: true });
    symlinkSync(join(root, "src"), join(installed, "src"));
    writeFileSync(
      join(installed, "package.json"),
      JSON.stringify({ name: "playtest-cli", type: "module", exports: "./src/index.ts" }),
    );
  }
  const script = () => run(process.execPath, "--import", join(root, "node_modules/tsx/dist/loader.mjs"), "order-and-list.mjs");

  it("orders once a day and lists the slots", () => {
    install();
    const first = script();
    expect([first.stderr, first.status]).toEqual(["", 0]);
    expect(first.stdout).toMatch(/^[0-9a-f-]{36} active\n[0-9a-f-]{36} open\n[0-9a-f-]{36} open\n$/);
    expect(script().stdout).toBe(first.stdout);
  });

  it("ends with the command's exit code and says what to do", () => {
    install();
    env.PLAYTEST_API_KEY = "pt_sk_unknown_unknown";
    expect(script()).toMatchObject({ status: 4, stderr: expect.stringMatching(/^UNAUTHORIZED .*playtest login/) });
  });
});

describe("week.test.mjs", () => {
  const serve = ["serve", "run", "--ephemeral", "--seed", "minimal", "--port", "0", "--exec", "node --test"];

  it("passes against an ephemeral server", () => {
    copy("week.test.mjs");
    expect(run("playtest", ...serve)).toMatchObject({ status: 0, stdout: expect.stringMatching(/pass 1\n/) });
  });

  it("is a real test: a wrong expectation fails, and that is the exit code", () => {
    writeFileSync(join(folder, "week.test.mjs"), `import test from "node:test"; test("x", () => { throw new Error(); });\n`);
    expect(run("playtest", ...serve).status).toBe(1);
  });
});

it("transcribe.sh: prints what whisper.cpp wrote for the video that it is given", () => {
  copy("transcribe.sh");
  const tool = (name: string, text: string) => {
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  };
  tool("ffmpeg", 'for last; do :; done; [ "$5" = "play.mp4" ] && echo sound > "$last"');
  tool("whisper-cli", "[ -e audio.wav ] && printf 'WEBVTT\\n' > audio.vtt");
  expect(run("sh", "transcribe.sh", "play.mp4")).toMatchObject({ status: 0, stdout: "WEBVTT\n", stderr: "" });
});
