import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createIo } from "../../src/io/io.ts";
import { openUrl } from "../../src/io/shell.ts";
import { FakeProcess, playtest, testFolder } from "../helpers/cli.ts";
import { type Stub, stubServer } from "../helpers/stub-server.ts";

/** Addresses that a hostile server sends, and what must not become of them: an option of a program, a local file, a network share. */
const hostile = [
  "--script=/tmp/evil.lua",
  "-K/tmp/curlrc",
  "file:///etc/passwd",
  "\\\\evil.example\\share\\a.hta",
  "//evil.example/share",
  "javascript:alert(1)",
  "ms-msdt:/id PCWDiagnostic",
  "/etc/passwd",
  "",
];
const id = "019a0000-0000-7000-8000-000000000000";
const key = "pt_sk_0123456789abcdef0123456789abcdef";
const createdAt = "2026-03-01T12:00:00.000Z";
const slot = {
  id,
  status: "submitted",
  createdAt,
  deadlineAt: createdAt,
  requestId: id,
  game: { id, name: "Lantern Deep" },
  playtest: { id, visibility: "private", durationMinutes: 60, playerCount: 1 },
  playtester: { id, displayName: "Ann" },
  submission: { id, createdAt, videoFileSize: 10, notes: null },
  rating: null,
  rejection: null,
  transcription: { id, status: "approved", selectedVersion: "original", keyTakeaways: [] },
};
const video = (downloadUrl: string): Stub => ({
  on: `GET /playtests/slots/${id}/download-url`,
  data: { downloadUrl, expiresAt: "" },
});

/** A program that notes that it was started. */
function program() {
  const folder = testFolder();
  const [path, started] = [join(folder, "program"), join(folder, "started")];
  writeFileSync(path, `#!/bin/sh\necho "$@" > "${started}"\n`);
  chmodSync(path, 0o755);
  return { path, started: () => existsSync(started) };
}

describe.each(hostile)("a link to %j from a server", (address) => {
  const refused = `${JSON.stringify(address)} is not an http or https URL. It was not opened.`;

  it.each<[string, string[], Stub[]]>([
    ["review url", ["review", "url", id], [video(address)]],
    [
      "review transcript",
      ["review", "transcript", id],
      [{ on: `GET /playtests/slots/${id}/transcript`, data: { downloadUrl: address, keyTakeaways: [] } }],
    ],
    [
      "open SLOT",
      ["open", id],
      [
        { on: `GET /games/${id}`, status: 404, error: { code: "NOT_FOUND", message: "No." } },
        { on: `GET /playtests/${id}`, status: 404, error: { code: "NOT_FOUND", message: "No." } },
        { on: `GET /playtests/slots/${id}`, data: { slot } },
        video(address),
      ],
    ],
    [
      "billing credit add --open",
      ["billing", "credit", "add", "--amount", "50", "--open"],
      [{ on: "POST /billing/credit", data: { paymentId: id, checkoutUrl: address, amountCents: 5000 } }],
    ],
    [
      "billing subscription checkout --open",
      ["billing", "subscription", "checkout", "--plan-key", "indie_monthly", "--open"],
      [{ on: "POST /billing/subscription/checkout", data: { subscriptionId: id, checkoutUrl: address } }],
    ],
  ])("%s neither opens nor prints it", async (_, argv, stubs) => {
    const { baseUrl } = await stubServer(stubs);
    const { path, started } = program();
    const { code, stdout, stderr } = await playtest(argv, {
      baseUrl,
      key,
      tty: { stdout: true },
      columns: 500,
      env: { BROWSER: path },
    });
    expect([code, stdout, stderr, started()]).toEqual([2, "", expect.stringContaining(refused), false]);
  });

  it("a player is not started for it", async () => {
    const { path, started } = program();
    const io = createIo(new FakeProcess({ env: {}, cwd: testFolder() }));
    await expect(openUrl(io, address, `${path} --fullscreen`)).rejects.toThrow(refused);
    await io.close();
    expect(started()).toBe(false);
  });

  it("review download neither fetches it nor tries again", async () => {
    const { baseUrl } = await stubServer([{ on: `GET /playtests/slots/${id}`, data: { slot } }, video(address)]);
    const cwd = testFolder();
    const { code, stderr, waited } = await playtest(["review", "download", id], { baseUrl, key, cwd });
    expect([code, stderr, waited, readdirSync(cwd)]).toEqual([2, expect.stringContaining(refused), 0, []]);
  });
});
