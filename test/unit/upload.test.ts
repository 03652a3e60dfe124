import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import type { HttpReply, HttpRequest, Transport } from "../../src/api/types.ts";
import { upload } from "../../src/api/upload.ts";
import { testFolder } from "../helpers/cli.ts";

const base = "http://127.0.0.1:1/api/v1";
const text = "a build of a game";
const location = `${base}/uploads/1`;

/** Answers in turn; `sent` tells what was asked for, with the body's bytes. */
function scripted(replies: readonly [status: number, headers?: Record<string, string>, before?: () => void][]) {
  const sent: string[] = [];
  const left = [...replies];
  const transport: Transport = {
    async send({ method, url, headers, body }: HttpRequest): Promise<HttpReply> {
      const [status, given = {}, before] = left.shift() ?? [599];
      before?.();
      const chunks: Buffer[] = [];
      for await (const chunk of (body as Readable | undefined) ?? []) chunks.push(chunk);
      const offset = headers["upload-offset"] === undefined ? "" : ` ${headers["upload-offset"]}: ${Buffer.concat(chunks)}`;
      sent.push(`${method} ${url.origin === new URL(base).origin ? url.pathname : url.origin}${offset}`);
      return { status, headers: given, body: Buffer.from('{"error":{"code":"X","message":"No."}}') };
    },
    close: async () => {},
  };
  return { sent, transport };
}

const created: [number, Record<string, string>] = [201, { location }];
const at = (offset: number): [number, Record<string, string>] => [204, { "upload-offset": `${offset}` }];
const stands = (offset: number): [number, Record<string, string>] => [
  200,
  { "upload-offset": `${offset}`, "upload-length": `${text.length}` },
];

function sender(directory = testFolder()) {
  const file = join(directory, "a.bin");
  writeFileSync(file, text);
  const signal = new AbortController().signal;
  const keep = (transport: Transport, retries = 0) =>
    upload(
      {
        base,
        apiKey: "pt_sk_x",
        transport,
        userAgent: "test",
        directory,
        timeout: 1_000,
        retries,
        maxWait: 60_000,
        signal,
        insecure: false,
      },
      { path: "/games/1/builds", file, metadata: {}, fingerprint: "a", progress: () => {} },
    );
  const send = async (transport: Transport, retries?: number) => (await keep(transport, retries)).forget();
  return { file, directory: join(directory, "uploads"), keep, send };
}

afterEach(() => void vi.useRealTimers());

it("upload: never sends the key to another host", async () => {
  const { sent, transport } = scripted([[201, { location: "http://elsewhere.example/uploads/1" }]]);
  await expect(sender().send(transport)).rejects.toThrow(
    "http://127.0.0.1:1 redirected the upload to http://elsewhere.example. The API key was not sent there.",
  );
  expect(sent).toEqual(["POST /api/v1/games/1/builds"]);
});

it("upload: stores the address of an unfinished upload in a file that only its user can read", async () => {
  const { send, directory } = sender();
  await expect(send(scripted([created, [400]]).transport)).rejects.toThrow("No.");
  const [name] = readdirSync(directory);
  expect(statSync(join(directory, name!)).mode & 0o777).toBe(0o600);
  const { sent, transport } = scripted([stands(8), at(17)]);
  await send(transport);
  expect(sent).toEqual(["HEAD /api/v1/uploads/1", "PATCH /api/v1/uploads/1 8: of a game"]);
  expect(readdirSync(directory)).toEqual([]);
});

it("upload: sends nothing for a file that is complete, until that is forgotten", async () => {
  const { keep, send, directory } = sender();
  await keep(scripted([created, at(17)]).transport);
  const complete = scripted([stands(17)]);
  await send(complete.transport);
  expect([complete.sent, readdirSync(directory)]).toEqual([["HEAD /api/v1/uploads/1"], []]);
  const again = scripted([created, at(17)]);
  await send(again.transport);
  expect(again.sent).toHaveLength(2);
});

it.each(["", "{", "null"])("upload: starts over if the stored address is truncated: %j", async (content) => {
  const { send, directory } = sender();
  await expect(send(scripted([created, [400]]).transport)).rejects.toThrow("No.");
  writeFileSync(join(directory, readdirSync(directory)[0]!), content);
  const { sent, transport } = scripted([created, at(17)]);
  await send(transport);
  expect(sent).toEqual(["POST /api/v1/games/1/builds", `PATCH /api/v1/uploads/1 0: ${text}`]);
});

it.each<[status: number, tries: string[], exitCode: number | undefined]>([
  [503, ["HEAD", "HEAD", "PATCH"], undefined],
  [429, ["HEAD", "HEAD", "PATCH"], undefined],
  [423, ["HEAD", "HEAD", "PATCH"], undefined],
  [401, ["HEAD"], 4],
  [404, ["HEAD", "POST", "PATCH"], undefined],
  [410, ["HEAD", "POST", "PATCH"], undefined],
])("upload: when the offset request returns %d, requests are %j", async (status, tries, exitCode) => {
  const { send, directory } = sender();
  await expect(send(scripted([created, [400]]).transport)).rejects.toThrow("No.");
  const { sent, transport } = scripted([[status], tries[1] === "POST" ? created : stands(0), at(17)]);
  const outcome = await send(transport, 1).then(
    () => undefined,
    (error: { exitCode: number }) => error.exitCode,
  );
  expect([sent.map((line) => line.split(" ")[0]), outcome]).toEqual([tries, exitCode]);
  expect(readdirSync(directory)).toHaveLength(exitCode === undefined ? 0 : 1);
});

it("upload: a server that says when to try again is waited for longer than the retries last", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const away: [number, Record<string, string>] = [503, { "retry-after": "1" }];
  const { sent, transport } = scripted([created, away, away, away, stands(0), at(17)]);
  const done = sender().send(transport, 1);
  while (sent.length < 6) await vi.advanceTimersByTimeAsync(1000);
  await done;
  expect(sent.filter((line) => line.startsWith("HEAD"))).toHaveLength(3);
});

it("upload: the timeout is for requests without bytes of the file; the server may verify the last bytes for hours", async () => {
  const { send, file } = sender();
  writeFileSync(file, Buffer.alloc(2 ** 26 + 1));
  const timeouts: [string, number][] = [];
  const { transport } = scripted([
    created,
    [204, { "upload-offset": `${2 ** 26}` }],
    [503],
    [200, { "upload-offset": `${2 ** 26}`, "upload-length": `${2 ** 26 + 1}` }],
    [204, { "upload-offset": `${2 ** 26 + 1}` }],
  ]);
  const noted: Transport = {
    ...transport,
    send(request) {
      timeouts.push([request.method, request.timeout]);
      return transport.send(request);
    },
  };
  await send(noted, 1);
  const hours = 24 * 3_600_000;
  expect(timeouts).toEqual([
    ["POST", 1_000],
    ["PATCH", hours],
    ["PATCH", hours],
    ["HEAD", 1_000],
    ["PATCH", hours],
  ]);
});

it("upload: stops if the file becomes shorter", async () => {
  const { file, send } = sender();
  const { sent, transport } = scripted([created, [204, {}, () => truncateSync(file, 3)], stands(3)]);
  await expect(send(transport, 4)).rejects.toThrow(`Cannot read ${file}: the file became shorter during the upload.`);
  expect(sent.slice(0, 1)).toEqual(["POST /api/v1/games/1/builds"]);
  expect(sent.length).toBeLessThan(3);
});

it("upload: names a file that cannot be read", async () => {
  const { file, send } = sender();
  const { transport } = scripted([created]);
  rmSync(file);
  await expect(send(transport)).rejects.toThrow(`Cannot read ${file}: ENOENT`);
});
