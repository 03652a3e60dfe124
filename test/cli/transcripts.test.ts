import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { playtest, testFolder } from "../helpers/cli.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

let server: TestServer;
let owner: Person;
let gameId: string;
/** The transcriber ends once `gate.open` is there. */
const gate = join(freshFolder(), "gate");
beforeAll(async () => {
  const transcriber = fileURLToPath(new URL("../fixtures/transcriber.mjs", import.meta.url));
  server = await ownServer({
    config: (config) => void Object.assign(config.transcriber, { command: [process.execPath, transcriber, "gate", gate] }),
  });
  owner = await registerOwner(server);
  await giveCredit(server, owner, 20_000);
  gameId = await createGame(owner);
  return server.close;
});

const run = (line: string) => playtest(line.split(" "), { baseUrl: server.baseUrl, key: owner.key });
const submitted = async (name: string) => play(server, await registerPlaytester(server, name), await order(owner, gameId));
const transcribed = (id: string) =>
  expect.poll(async () => (await owner.get(`/slots/${id}`)).body.data.slot.transcription?.status).toBe("approved");
const vtt = "WEBVTT\n\n00:00.000 --> 00:02.000\nHello there.\n";

it("a transcript that is still being made is 8; then it is printed, with its takeaways where asked for", async () => {
  const id = await submitted("Ann");
  expect(await run(`review transcript ${id}`)).toMatchObject({
    code: 8,
    stdout: "",
    stderr: expect.stringMatching(/pending|processing/),
  });
  writeFileSync(`${gate}.open`, "");
  await transcribed(id);
  expect(await run(`review transcript ${id}`)).toMatchObject({ code: 0, stdout: vtt, stderr: "" });
  expect((await run(`review transcript ${id} --takeaways`)).stdout).toBe("• gate\n");
  expect((await run(`review transcript ${id} --jq .keyTakeaways[0]`)).stdout).toBe("gate\n");
});

it("transcripts lie beside their videos; one that is not there yet is said, and the video is there all the same", async () => {
  writeFileSync(`${gate}.open`, "");
  const first = await submitted("Bo");
  await transcribed(first);
  rmSync(`${gate}.open`);
  const second = await submitted("Cy");
  const dir = testFolder();
  // What an interrupted run left of an earlier version is no part of this one.
  writeFileSync(join(dir, `${first}.transcript.part`), "WEBVTT earlier");
  const line = `review download ${first} ${second} --dir ${dir} --transcripts --name-template {id}`;
  const { code, stderr } = await run(line);
  expect([code, stderr]).toEqual([0, `warning: Slot ${second} has no transcript yet.\n`]);
  expect(readdirSync(dir).sort()).toEqual([`${first}.mp4`, `${first}.transcript.vtt`, `${second}.mp4`].sort());
  const saved = join(dir, `${first}.transcript.vtt`);
  expect(readFileSync(saved, "utf8")).toBe(vtt);
  writeFileSync(saved, "corrected by hand");
  expect((await run(line)).stdout).toContain(saved);
  expect(readFileSync(saved, "utf8")).toBe("corrected by hand");
  await run(`${line} --force`);
  expect(readFileSync(saved, "utf8")).toBe(vtt);
  writeFileSync(`${gate}.open`, "");
  await transcribed(second);
});

it("a transcript is replaced by a file or in $EDITOR and returns to the automatic version; a text that the server refuses is kept", async () => {
  writeFileSync(`${gate}.open`, "");
  const id = await submitted("Di");
  await transcribed(id);
  const file = join(testFolder(), "edited.vtt");
  writeFileSync(file, vtt.replace("there", "captain"));
  expect(await run(`review transcript ${id} --upload ${file}`)).toMatchObject({
    code: 0,
    stdout: "Saved the edited transcript.\n",
  });
  expect((await run(`review transcript ${id}`)).stdout).toContain("Hello captain.");
  expect(await run(`review transcript ${id} --revert`)).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
  expect(await run(`review transcript ${id} --revert --yes`)).toMatchObject({ code: 0 });
  expect((await run(`review transcript ${id}`)).stdout).toBe(vtt);
  expect(await run(`review transcript ${id} --edit`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Cannot open an editor without a terminal."),
  });
  expect((await run(`review transcript ${id} --edit --revert`)).stderr).toContain("cannot be used together");

  const editor = join(testFolder(), "editor.sh");
  const edit = (command: string) => {
    writeFileSync(editor, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
    return playtest(["review", "transcript", id, "--edit"], {
      baseUrl: server.baseUrl,
      key: owner.key,
      tty: true,
      env: { EDITOR: editor },
    });
  };
  expect((await edit("true")).stdout).toContain("Nothing was changed.");
  expect(await edit("exit 1")).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was changed.") });
  const failed = await edit(`sed -i s/there/nobody/ "$1"; exit 1`);
  const [, left] = /kept in (\S+)/.exec(failed.stderr) ?? [];
  expect([failed.code, readFileSync(left!, "utf8")]).toEqual([1, vtt.replace("there", "nobody")]);
  rmSync(left!);
  expect(await edit(`sed -i s/there/pilot/ "$1"`)).toMatchObject({ code: 0, stdout: "Saved the edited transcript.\n" });
  expect((await run(`review transcript ${id}`)).stdout).toContain("Hello pilot.");
  const refused = await edit(`echo nonsense > "$1"`);
  const [, kept] = /kept in (\S+)/.exec(refused.stderr) ?? [];
  expect([refused.code, readFileSync(kept!, "utf8")]).toEqual([2, "nonsense\n"]);
  rmSync(kept!);
});
