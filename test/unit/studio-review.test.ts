import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { transcript } from "../../server/web/player/transcript.ts";
import { NotOffered } from "../../server/web/shared/not-offered.ts";
import { RecentLinks, sendMedia } from "../../server/web/studio/media.ts";
import { commandLine } from "../../server/web/studio/review/commands.ts";
import { slotPage } from "../../server/web/studio/review/page.ts";
import { placeOf } from "../../server/web/studio/review/queue.ts";
import type { StudioContext } from "../../server/web/studio/types.ts";
import type { CallOperation } from "../../src/contract/index.ts";
import { shellQuote } from "../../src/contract/text/shell.ts";

describe("commands", () => {
  it.each([
    ["abc-1.5:30", "abc-1.5:30"],
    ["two words", "'two words'"],
    ["it's $HOME", "'it'\\''s $HOME'"],
    ["", "''"],
  ])("%j is written as %s", (text, word) => expect(shellQuote(text)).toBe(word));

  it("leave out options without a value", () =>
    expect(
      commandLine("playtest review reject ID", [
        ["--reason", ""],
        ["--retry", true],
        ["--x", undefined],
      ]),
    ).toBe("playtest review reject ID --retry"));
});

it("a file of another server is passed on as a file: no page, no cookie, no redirect and no key", async () => {
  const asked: unknown[] = [];
  const call = (async () => ({ data: { downloadUrl: "https://files.example/x" } })) as unknown as CallOperation;
  const headers = {
    "content-type": "text/html",
    "content-length": "3",
    "set-cookie": "a=b",
    location: "https://evil.example/",
    "content-security-policy": "script-src *",
    "access-control-allow-origin": "*",
    refresh: "0; url=https://evil.example/",
    etag: '"1"',
  };
  const openLink = async (address: string, sent: Record<string, string>) => {
    asked.push([address, sent]);
    return { status: 206, headers, stream: Readable.from(["<b>"]) };
  };
  const server = createServer((request, response) => {
    void sendMedia({ openLink }, new RecentLinks(() => 0), { call, part: "video", id: "a" }, { request, response } as never);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const reply = await fetch(url, { headers: { range: "bytes=0-2", cookie: "secret", authorization: "Bearer x" } });
  const { connection: _, date: __, "keep-alive": ___, ...shown } = Object.fromEntries(reply.headers);
  expect([reply.status, await reply.text(), shown]).toEqual([
    206,
    "<b>",
    {
      "content-length": "3",
      etag: '"1"',
      "content-type": "application/octet-stream",
      "content-security-policy": "sandbox; default-src 'none'",
      "referrer-policy": "no-referrer",
    },
  ]);
  expect(asked).toEqual([["https://files.example/x", { range: "bytes=0-2" }]]);
  await new Promise((resolve) => server.close(resolve));
});

describe("place in the queue", () => {
  it.each([
    { slot: "a", number: 1, previousId: undefined, nextId: "b" },
    { slot: "b", number: 2, previousId: "a", nextId: "c" },
    { slot: "c", number: 3, previousId: "b", nextId: undefined },
    { slot: "decided", number: undefined, previousId: undefined, nextId: "a" },
  ])("$slot of a, b, c", ({ slot, ...place }) =>
    expect(placeOf(["a", "b", "c"], slot, false)).toEqual({ ...place, total: 3, isMore: false }),
  );
});

describe("transcript", () => {
  const cues = Array.from({ length: 500 }, (_, at) => ({ startMs: at * 1000, endMs: at * 1000 + 900, text: `<b> ${at}` }));
  const firstOf = (more: object) => /<ol start="(\d+)">/.exec(transcript({ cues, cuesPath: "/cues", ...more }).text)?.[1];

  it.each([
    [{}, "1"],
    [{ startMs: 250_000 }, "201"],
    [{ startMs: 250_000, from: 30 }, "31"],
    [{ from: 5000 }, "1"],
  ])("for %j the first cue shown is %s", (more, first) => expect(firstOf(more)).toBe(first));

  it("escapes what was said, and names the rest only if there is one", () => {
    const { text } = transcript({ cues: cues.slice(0, 2), cuesPath: "/cues" });
    expect(text).toContain("<time>0:01</time> &lt;b&gt; 1</a>");
    expect(text).not.toContain("data-cues");
  });
});

/** A page as a server shows it that implements the specification and nothing more. */
describe("review page of a server without extensions", () => {
  const id = "019ca945-0a00-739a-9c06-d53a42c404b9";
  const slot = {
    id,
    requestId: id,
    status: "submitted",
    deadlineAt: null,
    createdAt: "2026-03-01T12:00:00.000Z",
    playtester: { id, displayName: "Ann" },
    submission: { id, videoFileSize: 10, notes: null, createdAt: "2026-03-01T12:00:00.000Z" },
    rating: null,
    rejection: null,
    transcription: { id, status: "processing", selectedVersion: null, keyTakeaways: null },
    game: { id, name: "Lantern Deep" },
    playtest: { id, visibility: "private", durationMinutes: 60, playerCount: 1 },
  };
  const replies: Record<string, object> = {
    getSlot: { slot },
    getPlaytest: { playtest: { payoutCents: 1000, notesForTesters: null } },
    listSubmissions: { submissions: [{ slot: { id } }] },
    listContacts: { contacts: [] },
    getUnreadCount: { unreadCount: 0 },
    listSlotMoments: { moments: [] },
  };
  const call = (async (operation: string) => {
    const data = replies[operation];
    if (!data) throw new NotOffered();
    return { data, meta: {} };
  }) as unknown as CallOperation;
  const context = {
    site: { name: "playtest", hasLogo: false, payments: true },
    call,
    session: { userId: id, displayName: "Hearth & Co", csrf: "token" },
    account: { instance: null, signsOut: true },
    id,
    ids: [id],
    query: new URLSearchParams(),
    form: {},
    faults: {},
    formKey: "key",
    now: 0,
    cli: (command: string) => command,
    offers: async () => false,
    keepsMoments: () => true,
    captions: async () => undefined,
  } as unknown as StudioContext;

  it("says what is missing in sentences, and keeps the decision", async () => {
    const { text } = (await slotPage(context)).body;
    expect(text).toContain("This server stores no moments. They are saved on this computer");
    expect(text).not.toContain('name="still"');
    expect(text).not.toContain('class="find"');
    expect(text).toContain("The transcript is being made.");
    expect(text).toContain("Accept and pay $10.00");
    expect(text).not.toContain("undefined");
  });
});
