import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { codeSpan } from "../../src/contract/text/one-line.ts";
import { checkout, shellPath, startDemo } from "../helpers/checkout.ts";
import { playtest, testFolder } from "../helpers/cli.ts";
import { play, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { killLeftovers } from "../helpers/process.ts";

const githubSecret = ["$", "{{ secrets.PLAYTEST_API_KEY }}"].join("");
let server: { baseUrl: string; ownerKey?: string; gameId?: string };

beforeAll(async () => {
  server = await startDemo();
});
afterAll(killLeftovers);

/** Runs a script as the CI would, with the variables it would set. */
function runner(folder: string, shell: readonly string[], variables: Record<string, string>) {
  const env = {
    PATH: shellPath(folder),
    HOME: folder,
    CI: "true",
    PLAYTEST_API_KEY: server.ownerKey!,
    PLAYTEST_BASE_URL: server.baseUrl,
    PLAYTEST_GAME: server.gameId!,
    ...variables,
  };
  return (script: string) => {
    const [command = "", ...options] = shell;
    const { status, stdout, stderr } = spawnSync(command, [...options, script], { cwd: folder, env, encoding: "utf8" });
    expect(stdout + stderr).not.toContain(server.ownerKey);
    return { status, stdout, stderr };
  };
}

async function written(ci: string, cwd: string, ...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await playtest(["ci", "init", ci, ...flags, "--json"], {
    cwd,
    env: { PLAYTEST_NO_INPUT: "1" },
  });
  expect([code, stderr]).toEqual([0, expect.stringContaining("Next:")]);
  const { path, content } = JSON.parse(stdout).result;
  expect(readFileSync(join(cwd, path), "utf8")).toBe(content);
  expect(content).not.toMatch(/pt_sk_/);
  return content;
}

const request = async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${server.ownerKey}`, "content-type": "application/json" };
  const reply = await fetch(`${server.baseUrl}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return (await reply.json()) as { data: { slots: { id: string }[] } };
};
/** Has simulated playtesters play every slot, and rejects what they submit. */
async function rejectAll(playtestId: string) {
  const { slots } = (await request("GET", `/playtests/${playtestId}/slots`)).data;
  for (const { id } of slots) {
    await request("POST", `/sandbox/slots/${id}/play`, {});
    await request("POST", `/slots/${id}/reject`, { reason: "Silent." });
  }
}

const outputs = (path: string) =>
  Object.fromEntries(
    readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

describe("the workflow for", () => {
  it("GitHub: pushes, orders once per build, and fails when the videos are rejected", async () => {
    const folder = checkout();
    const workflow = parse(await written("github", folder));
    const { order, gate } = workflow.jobs;
    expect(workflow.env.PLAYTEST_API_KEY).toBe(githubSecret);
    const scripts = (job: { steps: { run?: string }[] }) =>
      job.steps.flatMap(({ run }) => (run && !run.startsWith("npm install") ? [run] : []));
    const [push = ""] = scripts(order);
    const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary.md") };
    const run = runner(folder, ["bash", "-e", "-o", "pipefail", "-c"], files);

    expect(run(push)).toMatchObject({ status: 0, stderr: "" });
    const pushed = outputs(files.GITHUB_OUTPUT);
    expect(pushed).toMatchObject({ "game-id": server.gameId, skipped: "false", version: expect.stringMatching(/^[0-9a-f]{7}/) });
    expect(pushed["build-url"]).toContain(server.baseUrl);
    const ordered = pushed["playtest-id"]!;
    expect(run(push)).toMatchObject({ status: 0, stdout: expect.stringContaining("Nothing to do") });
    expect(outputs(files.GITHUB_OUTPUT)).toMatchObject({ skipped: "true", "playtest-id": ordered });
    const [judge = ""] = scripts(gate);
    await rejectAll(ordered);
    const failed = run(judge);
    expect([failed.status, failed.stderr]).toEqual([13, expect.stringContaining("rejected>1 is met. Current state: 2 rejected")]);
    expect(outputs(files.GITHUB_OUTPUT)).toMatchObject({ "playtest-id": ordered, rejected: "2", open: "0" });
    const summary = readFileSync(files.GITHUB_STEP_SUMMARY, "utf8");
    expect(summary).toContain(`- Ordered 2 slots: \`${ordered}\`.`);
    expect(summary).toMatch(/### Playtest of `.+`: completed\n\n2 rejected\. Ordered: 2 slots of 60 min for \$40\.00\./);
  });

  it("GitLab: pushes and orders", async () => {
    const folder = checkout();
    const jobs = parse(await written("gitlab", folder));
    const run = runner(folder, ["bash", "-eo", "pipefail", "-c"], {});
    const script = (name: string) => jobs[name].script.join("\n");
    expect(run(script("playtest-order"))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Pushed .*\nOrdered .*: active\.$/m),
    });
    expect(run(script("playtest-order"))).toMatchObject({ status: 0, stdout: expect.stringContaining("Nothing to do") });
    expect(run(script("playtest-gate"))).toMatchObject({ status: 0, stdout: expect.stringContaining("### Playtest of") });
  });

  it("Jenkins: pushes and orders", async () => {
    const folder = checkout();
    const text = await written("jenkins", folder);
    const run = runner(folder, ["sh", "-xec"], {});
    const scripts = [...text.matchAll(/sh '''\n(.*?)\n *'''/gs)].map(([, script]) => script!);
    expect(scripts).toHaveLength(3);
    expect(text.split("{").length).toBe(text.split("}").length);
    for (const script of scripts.slice(1)) expect(run(script).status).toBe(0);
  });
});

describe("ci init", () => {
  const init = (words: string, cwd: string, baseUrl?: string) => playtest(["ci", "init", ...words.split(" ")], { cwd, baseUrl });

  it("ci init: replaces an existing file only with --force", async () => {
    const folder = testFolder();
    expect(await init("gitlab", folder)).toMatchObject({ code: 0, stdout: "Wrote .gitlab-ci.yml.\n" });
    writeFileSync(join(folder, ".gitlab-ci.yml"), "mine: true\n");
    expect(await init("gitlab --quantity 5", folder)).toMatchObject({
      code: 6,
      stdout: "",
      stderr:
        `error: ${folder}/.gitlab-ci.yml already exists. It was not changed.\n` +
        "Preview the workflow with --print, or replace the file with --force.\n",
    });
    expect(readFileSync(join(folder, ".gitlab-ci.yml"), "utf8")).toBe("mine: true\n");
    expect((await init("gitlab --quantity 5 --print", folder)).stdout).toContain('echo "quantity: 5"');
    expect(readFileSync(join(folder, ".gitlab-ci.yml"), "utf8")).toBe("mine: true\n");
    expect((await init("gitlab --force", folder)).code).toBe(0);
    expect(readFileSync(join(folder, ".gitlab-ci.yml"), "utf8")).toContain("playtest-gate");
  });

  it("ci init: names the actions of a workflow by the hash of a release, not by a tag that can be moved", async () => {
    const { stdout } = await init("github --print", testFolder());
    const used = stdout.split("\n").filter((line) => line.includes("uses:"));
    expect(used).toHaveLength(3);
    for (const line of used) expect(line).toMatch(/uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("ci init: writes the given instance, game and amounts into the workflow", async () => {
    const folder = testFolder();
    const { stdout } = await init("github demo-game --build dist --max-cost 75 --print", folder, "https://pt.example.com");
    const { env, jobs } = parse(stdout);
    expect(env).toEqual({
      PLAYTEST_API_KEY: githubSecret,
      PLAYTEST_BASE_URL: "https://pt.example.com",
      PLAYTEST_PACKAGE: ["$", "{{ vars.PLAYTEST_PACKAGE }}"].join(""),
    });
    expect(jobs.order.steps.at(-1).run).toBe(
      'echo "quantity: 2" | playtest games push dist demo-game --if-changed --version-from git --order - --max-cost 75.00\n',
    );
  });

  it.each([
    ["github", '  PLAYTEST_BASE_URL: "http://pt.example.com"\n  PLAYTEST_INSECURE: "1"\n'],
    ["gitlab", 'variables:\n  PLAYTEST_BASE_URL: "http://pt.example.com"\n  PLAYTEST_INSECURE: "1"\n'],
    ["jenkins", "    PLAYTEST_BASE_URL = 'http://pt.example.com'\n    PLAYTEST_INSECURE = '1'\n"],
  ])("ci init: the workflow of %s has --insecure", async (ci, lines) => {
    const { stdout } = await init(`${ci} --print --insecure`, testFolder(), "http://pt.example.com");
    expect(stdout).toContain(lines);
    expect((await init(`${ci} --print`, testFolder(), "http://pt.example.com")).stdout).not.toContain("INSECURE");
  });

  it("ci init: takes no version where none is kept", async () => {
    for (const words of ["--upload-cmd ./up.sh", "--build https://example.com/build.zip"])
      expect((await init(`github --print ${words}`, testFolder())).stdout).toContain(" --if-changed --order - ");
    const refused = await init("github --print --upload-cmd ./up.sh --build https://example.com/build.zip", testFolder());
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("not the URL in --build. Nothing was written.")]);
  });

  it.each(["http://127.0.0.1:4747", "http://127.0.0.1:5000", "http://localhost:4747", "http://[::1]:4747"])(
    "ci init: writes no address of this machine (%s) and no name of a package, and warns about both",
    async (baseUrl) => {
      for (const ci of ["github", "gitlab", "jenkins"]) {
        const { code, stdout, stderr } = await init(`${ci} --print`, testFolder(), baseUrl);
        expect(code).toBe(0);
        expect(stdout).not.toMatch(/127\.0\.0\.1|localhost|\[::1\]|playtest-cli/);
        expect(stdout).toContain('npm install --global "$PLAYTEST_PACKAGE"');
        expect(stdout).toContain("the variable PLAYTEST_PACKAGE");
        expect(stdout).toContain("the variable PLAYTEST_BASE_URL");
        expect(stderr).toContain(`warning: ${baseUrl} is on this machine, where a CI cannot reach it.`);
        expect(stderr).toContain("warning: Set the CI variable PLAYTEST_PACKAGE");
      }
    },
  );

  it.each([
    ["https://example.com/playtest-1.0.0.tgz", "https://example.com/playtest-1.0.0.tgz"],
    ["git+https://example.com/playtest.git#v1.0.0", "'git+https://example.com/playtest.git#v1.0.0'"],
    ["@studio/playtest@1.0.0", "@studio/playtest@1.0.0"],
    ["tools/playtest.tgz", "./tools/playtest.tgz"],
    ["./tools/playtest.tgz", "./tools/playtest.tgz"],
    ["file:tools/playtest.tgz", "./tools/playtest.tgz"],
  ])("ci init: installs the package %s", async (spec, word) => {
    const folder = testFolder();
    mkdirSync(join(folder, "tools"));
    writeFileSync(join(folder, "tools/playtest.tgz"), "");
    for (const ci of ["github", "gitlab", "jenkins"]) {
      const { code, stdout, stderr } = await init(`${ci} --print --package ${spec}`, folder, "https://pt.example.com");
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(`npm install --global ${word}\n`);
      if (ci === "jenkins") continue;
      const { jobs } = parse(stdout);
      // A package in the repository needs the repository in every job that installs it.
      const install = (job: { steps: { uses?: string; run?: string }[] }) => job.steps.map(({ uses }) => uses?.split("@")[0]);
      if (ci === "github") expect(install(jobs.gate).includes("actions/checkout")).toBe(spec.includes("tools/"));
    }
  });

  it.each([
    ["../playtest.tgz", "outside of this directory"],
    ["/tmp/playtest.tgz", "outside of this directory"],
    ["missing.tgz", "the file missing.tgz does not exist"],
    ["a;b", "is not something that npm installs"],
    ["-g", "is not something that npm installs"],
  ])("ci init: refuses the package %s", async (spec, message) => {
    const ran = await playtest(["ci", "init", "github", "--print", `--package=${spec}`], { cwd: testFolder() });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([2, "", expect.stringContaining(message)]);
  });

  it.each([
    ["--build", "a'b"],
    ["--build", "a\nb"],
    ["--build", githubSecret],
    ["--build", "$(id)"],
    ["--build", "-x"],
    ["--quantity", "0"],
  ])("ci init: refuses %s %j", async (name, value) => {
    const folder = testFolder();
    const { code, stdout } = await playtest(["ci", "init", "github", "--print", `${name}=${value}`], { cwd: folder });
    expect([code, stdout]).toEqual([2, ""]);
  });

  it("ci init: refuses an unknown CI system and lists the supported ones", async () => {
    expect(await init("travis", testFolder())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("github, gitlab, jenkins"),
    });
  });
});

describe("ci summary", () => {
  const fixture = eachOwnerFixture();
  const hostile =
    "`x` <img src=x onerror=alert(1)> [l](http://e.example) @team #1 |\n# h\n![i](http://e.example/p.png) ``` \u001b[31m";

  it("ci summary: shows text that people wrote as code, never as markup", async () => {
    const id = await fixture.order({ quantity: 2 });
    const slot = await play(fixture.server, await registerPlaytester(fixture.server), id);
    await fixture.owner.post(`/slots/${slot}/reject`, { reason: hostile });
    await fixture.owner.patch(`/games/${fixture.gameId}`, { name: "Star **Miner** `_`" });
    const file = join(testFolder(), "summary.md");
    writeFileSync(file, "before\n");
    const { code, stdout } = await fixture.run(`ci summary ${id}`, { env: { GITHUB_STEP_SUMMARY: file } });
    expect(code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(`before\n${stdout}`);
    expect(stdout).toContain("### Playtest of `` Star **Miner** `_` ``: active");
    // Without its code spans, the text is only ours.
    const markup = stdout.replace(/(?<!`)(`+)(?!`)(?:.*?[^`])\1(?!`)/g, "");
    expect(markup).not.toMatch(/[<@[!]|http/);
    expect(stdout).not.toContain("\u001b");
    expect(stdout.split("\n").filter((line) => line.startsWith("#"))).toHaveLength(1);
  });

  it("ci summary -o: writes the summary to a file", async () => {
    const file = join(testFolder(), "s.md");
    expect(await fixture.run(`ci summary ${await fixture.order()} -o ${file}`)).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(file, "utf8")).toContain("1 open. Ordered: 1 slot of 60 min for $20.00.");
  });

  it("ci summary: warns if GITHUB_STEP_SUMMARY cannot be written, and still prints", async () => {
    const { code, stderr } = await fixture.run(`ci summary ${await fixture.order()}`, {
      env: { GITHUB_STEP_SUMMARY: "/nonexistent/x" },
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining("warning: GITHUB_STEP_SUMMARY")]);
  });

  it.each([
    ["a", "`a`"],
    ["a`b", "`` a`b ``"],
    ["``", "``` `` ```"],
    ["", ""],
    ["\n", "`\\n`"],
    ["a\r\n# b", "`a\\r\\n# b`"],
    ["x".repeat(400), `\`${"x".repeat(299)}…\``],
  ])("codeSpan: puts %j into a code span", (text, span) => {
    expect(codeSpan(text)).toBe(span);
  });
});
