import { describe, expect, it } from "vitest";
import { contentDisposition, parseRange } from "../../server/http/range.ts";

const ranges: [header: string | undefined, size: number, range: ReturnType<typeof parseRange>][] = [
  [undefined, 100, undefined],
  ["bytes=0-", 100, { start: 0, end: 99 }],
  ["bytes=10-19", 100, { start: 10, end: 19 }],
  ["bytes=10-10", 100, { start: 10, end: 10 }],
  ["bytes=90-200", 100, { start: 90, end: 99 }],
  ["bytes=-10", 100, { start: 90, end: 99 }],
  ["bytes=-1000", 100, { start: 0, end: 99 }],
  ["Bytes=0-0", 100, { start: 0, end: 0 }],
  ["bytes=100-", 100, "unsatisfiable"],
  ["bytes=100-200", 100, "unsatisfiable"],
  ["bytes=-0", 100, "unsatisfiable"],
  ["bytes=0-", 0, "unsatisfiable"],
  ["bytes=99999999999999999999999-", 100, "unsatisfiable"],
  ["", 100, undefined],
  ["bytes=", 100, undefined],
  ["bytes=-", 100, undefined],
  ["bytes=20-10", 100, undefined],
  ["bytes=0-1,5-6", 100, undefined],
  ["bytes=a-b", 100, undefined],
  ["lines=0-1", 100, undefined],
];

describe("parseRange", () => {
  it.each(ranges)("%j of %d bytes", (header, size, range) => {
    expect(parseRange(header, size)).toEqual(range);
  });
});

const names: [filename: string, header: string][] = [
  ["play.mp4", 'attachment; filename="play.mp4"'],
  ["my play.mp4", 'attachment; filename="my play.mp4"'],
  ['../../x"\r\n', `attachment; filename="x_"; filename*=UTF-8''x%22`],
  ["C:\\games\\play.mp4", 'attachment; filename="play.mp4"'],
  ["a\r\nSet-Cookie: x=1", 'attachment; filename="aSet-Cookie: x=1"'],
  ["Überspiel 🎮.mkv", `attachment; filename="_berspiel __.mkv"; filename*=UTF-8''%C3%9Cberspiel%20%F0%9F%8E%AE.mkv`],
  ["100%.zip", `attachment; filename="100_.zip"; filename*=UTF-8''100%25.zip`],
  ["it's (1).zip", 'attachment; filename="it\'s (1).zip"'],
  ["..", 'attachment; filename="download"'],
  ["/", 'attachment; filename="download"'],
  ["invoice\u202Etxt.exe", 'attachment; filename="invoicetxt.exe"'],
];

describe("contentDisposition", () => {
  it.each(names)("%j", (filename, header) => {
    expect(contentDisposition("attachment", filename)).toBe(header);
    expect(header).toMatch(/^[\x20-\x7e]*$/);
  });
});
