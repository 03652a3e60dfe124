import { afterEach, beforeEach, expect, it } from "vitest";
import type { RunOptions } from "../helpers/cli.ts";
import { type Person, play, registerPlaytester } from "../helpers/factories.ts";
import { type Hosted, startHosted } from "../helpers/hosted.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

/** Commands that wait or watch go on after the server was away for a while. */

const fixture = eachOwnerFixture();
const offline = { status: 503, raw: '{"error":{"code":"SERVICE_UNAVAILABLE","message":"The server restarts."}}' };
const streamless = { status: 404, raw: '{"error":{"code":"NOT_FOUND","message":"Not found"}}' };
let gate: Hosted;
let isAway: boolean;
let isAffected: (path: string) => boolean;
let pim: Person;
let playtestId: string;
let slotId: string;

beforeEach(async () => {
  isAway = false;
  isAffected = () => true;
  gate = await startHosted(fixture.server.baseUrl);
  gate.extend();
  gate.hooks.refuse = ({ path }) => (path.startsWith("/events") ? streamless : isAway && isAffected(path) ? offline : undefined);
  pim = await registerPlaytester(fixture.server, "Pim");
  playtestId = await fixture.order();
  slotId = await play(fixture.server, pim, playtestId);
});

afterEach(() => gate.close());

/** Runs a command whose server is away at its first wait, and back at its second, when `back` happens. */
function through(line: string, back: () => Promise<unknown>, options: RunOptions = {}) {
  let waits = 0;
  async function sleep(_: number, signal?: AbortSignal) {
    signal?.throwIfAborted();
    waits++;
    isAway = waits === 1;
    if (waits === 2) await back();
    if (waits > 9) throw new Error("waits for ever");
  }
  return fixture.run(`${line} --retries 0`, { baseUrl: gate.baseUrl, outside: { sleep }, ...options });
}

const wentOn = expect.stringMatching(/^warning: .* Retrying\.\nReconnected\.\n/);
const say = async (text: string) => {
  const ended = await fixture.run(["chat", "send", "Pim", text]);
  if (ended.code !== 0) throw new Error(ended.stderr);
};
const stopAt = (last: string): RunOptions => ({
  onOutput: (text, process) => {
    if (text.includes(last)) process.signal("SIGINT");
  },
});

it("notifications watch", async () => {
  const again = async () => play(fixture.server, pim, await fixture.order());
  const { code, stdout, stderr } = await through("notifications watch --count 2 --template {kind}", again);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "slot.reserved\nslot.submitted\n", stderr: wentOn });
});

it("chat read --follow", async () => {
  await fixture.owner.post(`/playtests/slots/${slotId}/accept`);
  await say("first");
  const { code, stdout, stderr } = await through(
    "chat read Pim --follow --template {content}",
    () => say("second"),
    stopAt("second"),
  );
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: "first\nsecond\n", stderr: wentOn });
});

it("chat read --follow, before anybody has written", async () => {
  await fixture.owner.post(`/playtests/slots/${slotId}/accept`);
  const { code, stdout } = await through("chat read Pim --follow --template {content}", () => say("Hello"), stopAt("Hello"));
  expect([code, stdout]).toEqual([130, "Hello\n"]);
});

it("playtests wait, also when only the findings of a condition cannot be read", async () => {
  const { gameId } = fixture;
  const { body } = await fixture.owner.post(`/games/${gameId}/findings`, { title: "Nobody finds the lantern" });
  const back = () => fixture.owner.post(`/playtests/slots/${slotId}/accept`);
  const line = `playtests wait ${playtestId} --until all-reviewed --fail-if #${body.data.finding.number}>10% --json`;
  isAffected = (path) => path.endsWith("/findings");
  const { code, stderr } = await through(line, back);
  expect({ code, stderr }).toEqual({ code: 0, stderr: wentOn });
});

it("auth wait-verified", async () => {
  let isVerified = false;
  gate.hooks.interfere = ({ path }, { raw, ...rest }) =>
    path === "/auth/me" && !isVerified
      ? { ...rest, raw: `${raw}`.replace('"emailVerified":true', '"emailVerified":false') }
      : undefined;
  const verify = async () => {
    isVerified = true;
  };
  const { code, stdout, stderr } = await through("auth wait-verified --json", verify);
  expect([code, JSON.parse(stdout).result.emailVerified, stderr]).toEqual([0, true, wentOn]);
});
