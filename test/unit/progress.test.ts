import { describe, expect, it } from "vitest";
import { createSession } from "../../src/cli/session/index.ts";
import { createIo } from "../../src/io/io.ts";
import { createMeter, transferred } from "../../src/io/meter.ts";
import { createProgress, label, type ProgressMode } from "../../src/io/progress.ts";
import { FakeProcess, testFolder } from "../helpers/cli.ts";

/** What a minute of work printed, at one percent per second. */
async function minute(mode: ProgressMode, tty: boolean, { env = {}, quiet = false, seconds = 60 } = {}) {
  let now = 0;
  const fake = new FakeProcess({ env, tty, cwd: "/" });
  const io = createIo(fake);
  const progress = await createProgress(io, mode, quiet, () => now);
  for (let second = 1; second <= seconds; second++) {
    now = second * 1_000;
    progress.update(`Working, second ${second}`, second / 100);
  }
  progress.done("Done.");
  await io.close();
  return fake.stderr.text;
}

const everyTenSeconds = [10, 20, 30, 40, 50, 60].map((second) => `Working, second ${second} ${second} %\n`).join("");

describe("progress", () => {
  it.each([
    ["one line every ten seconds in a pipe", () => minute("auto", false), `${everyTenSeconds}Done.\n`],
    ["the same with --progress plain on a terminal", () => minute("plain", true), `${everyTenSeconds}Done.\n`],
    ["the same on the terminal of a CI", () => minute("auto", true, { env: { CI: "1" } }), `${everyTenSeconds}Done.\n`],
    ["nothing while it is short", () => minute("auto", false, { seconds: 9 }), "Done.\n"],
    ["nothing with --progress none", () => minute("none", true), ""],
    ["nothing with -q", () => minute("auto", true, { quiet: true }), ""],
  ])("prints %s", async (_, run, expected) => {
    expect(await run()).toBe(expected);
  });
});

it("progress: short steps are printed once they take ten seconds together", async () => {
  const fake = new FakeProcess({ env: { PLAYTEST_CONFIG_DIR: testFolder() }, tty: false, cwd: "/" });
  const io = createIo(fake);
  let now = 0;
  const outside = {
    now: () => now,
    newId: () => "id",
    random: () => 0,
    sleep: async () => {},
    keyring: () => undefined,
    systemHome: () => "",
  };
  const { ctx } = createSession(io, {}, outside, { private: true });
  for (const step of ["Reading", "Sending", "Checking"]) {
    const progress = await ctx.progress();
    now += 6_000;
    progress.update(step);
    progress.done();
  }
  await io.close();
  expect(fake.stderr.text).toBe("Sending\n");
});

it("progress: control characters in a text are escaped", async () => {
  const fake = new FakeProcess({ env: {}, tty: false, cwd: "/" });
  const io = createIo(fake);
  let now = 0;
  const progress = await createProgress(io, "plain", false, () => now);
  now = 10_000;
  progress.update("Uploading \u001b[2J.mp4", 0.5);
  progress.done("Uploaded \u001b]0;owned\u0007.mp4");
  await io.close();
  expect(fake.stderr.text).toBe("Uploading \\u001b[2J.mp4 50 %\nUploaded \\u001b]0;owned\\u0007.mp4\n");
});

describe("progress on a terminal", () => {
  it.each<[text: string, fraction: number | undefined, columns: number, line: string]>([
    ["Uploading 1.0 MiB: a.zip", 0.25, 40, "Uploading 1.0 MiB: a.zip 25 %"],
    ["Uploading 1.0 MiB: a.zip", 0.25, 27, "Uploading 1.0 MiB: a.… 25 %"],
    ["Uploading 1.0 MiB: a.zip", undefined, 21, "Uploading 1.0 MiB: a…"],
  ])("%j is shortened to one line", (text, fraction, columns, line) => {
    expect(label(text, fraction, columns)).toBe(line);
  });
});

describe("transfer progress", () => {
  it("shows bytes, rate and time left; bytes sent by an earlier run do not count for the rate", () => {
    let now = 0;
    const told: [string, number][] = [];
    const report = transferred(
      () => now,
      (text, fraction) => void told.push([text, fraction]),
    );
    const mib = 2 ** 20;
    report(50 * mib, 100 * mib);
    now = 5_000;
    report(60 * mib, 100 * mib);
    now = 25_000;
    report(100 * mib, 100 * mib);
    expect(told).toEqual([
      ["50.0 MiB of 100.0 MiB, 0 B/s", 0.5],
      ["60.0 MiB of 100.0 MiB, 2.0 MiB/s, 20s left", 0.6],
      ["100.0 MiB of 100.0 MiB, 2.0 MiB/s", 1],
    ]);
  });

  it("of unknown size shows bytes and rate", () => {
    let now = 0;
    const meter = createMeter(() => now);
    now = 1_000;
    meter.add(2_048);
    expect([meter.text(), meter.fraction]).toEqual(["2.0 KiB, 2.0 KiB/s", undefined]);
  });
});
