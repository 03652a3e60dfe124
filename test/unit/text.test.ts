import { describe, expect, it } from "vitest";
import { firstCharacters } from "../../src/contract/text/one-line.ts";
import { shellQuote } from "../../src/contract/text/shell.ts";
import {
  ago,
  bytes,
  duration,
  foldLines,
  lines,
  oneLine,
  redact,
  redactText,
  safeJson,
  shellShown,
  shortId,
  usd,
} from "../../src/io/text.ts";

const esc = "\u001b";

describe("text from the network is escaped for the terminal", () => {
  it.each([
    ["an escape sequence", `${esc}[31mred`, "\\u001b[31mred"],
    ["an OSC title", `${esc}]0;owned\u0007`, "\\u001b]0;owned\\u0007"],
    ["a C1 control", "\u009b2J", "\\u009b2J"],
    ["DEL", "a\u007fb", "a\\u007fb"],
    ["a bidi override", "abc\u202egnp.exe", "abc\\u202egnp.exe"],
    ["a bidi isolate", "\u2066x\u2069", "\\u2066x\\u2069"],
    ["line breaks and tabs", "a\nb\tc\rd", "a\\nb\\tc\\rd"],
    ["line separators", "a\u2028b\u2029", "a\\u2028b\\u2029"],
    ["letters of any script", "żółć 日本語 שלום 🎮", "żółć 日本語 שלום 🎮"],
  ])("%s", (_, text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });

  it("lines: keep line breaks and tabs, no other control characters", () => {
    expect(lines(`a\r\n\tb${esc}[2J\rc`)).toBe("a\n\tb\\u001b[2J\\rc");
  });

  it("JSON: escapes control characters and keeps the value", () => {
    const value = { name: `\u009b${esc}\u202e\u2028\u007f`, list: ["\n"] };
    const text = safeJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe("the first characters of a text", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "abc"],
    ["ab😀d", 3, "ab😀"],
    ["😀😀😀😀", 3, "😀😀😀"],
    ["a😀😀😀", 1, "a"],
    ["", 3, ""],
  ])("of %j, %i: %j", (text, max, expected) => expect(firstCharacters(text, max)).toBe(expected));
});

describe("redaction of secrets", () => {
  it.each([
    ["an API key of the hosted service", "key wpg_sk_0123456789abcdef0123456789abcdef refused", "key wpg_sk_… refused"],
    ["an API key", "key pt_sk_0123456789abcdef0123456789abcdef refused", "key pt_sk_… refused"],
    ["a webhook secret", "whsec_AbC+/9=", "whsec_…"],
    ["a bearer header", "authorization: Bearer abc.def", "authorization: Bearer …"],
    ["a signed link", "https://x/a?id=1&token=abc&b=2", "https://x/a?id=1&token=…&b=2"],
    ["a presigned link", "https://x/a?X-Amz-Signature=abc", "https://x/a?X-Amz-Signature=…"],
    ["a link without a secret", "https://x/a?id=1", "https://x/a?id=1"],
  ])("%s", (_, text, shown) => {
    expect(redactText(text)).toBe(shown);
  });

  it("by field name, at any depth", () => {
    expect(
      redact({ apiKey: "abcdefgh", user: { password: "x", name: "Ada" }, keysForTesters: ["A"], list: [{ secret: "s" }] }),
    ).toEqual({
      apiKey: "…",
      user: { password: "…", name: "Ada" },
      keysForTesters: "…",
      list: [{ secret: "…" }],
    });
  });
});

describe("formatted values", () => {
  const now = Date.parse("2026-03-01T12:00:00.000Z");
  it.each([
    [usd(2000), "$20.00"],
    [usd(5), "$0.05"],
    [usd(-150), "-$1.50"],
    [usd(100_000_000), "$1,000,000.00"],
    [bytes(0), "0 B"],
    [bytes(1536), "1.5 KiB"],
    [bytes(2 ** 31), "2.0 GiB"],
    [duration(59), "59s"],
    [duration(3600), "1h"],
    [ago("2026-03-01T11:58:00.000Z", now), "2m ago"],
    [ago("2026-03-02T12:00:00.000Z", now), "in 1d"],
    [ago("2026-03-01T12:00:02.000Z", now), "now"],
    [ago("not a time", now), "not a time"],
    [shortId("0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"), "2e3f4a5b"],
    [shortId("indie_monthly"), "indie_monthly"],
    [shellQuote("it's"), "'it'\\''s'"],
    [shellQuote("--name=a b"), "'--name=a b'"],
    [shellQuote("games"), "games"],
    [shellShown("it's"), "'it'\\''s'"],
    [shellShown("it's\\n\u001b[2J\n"), "$'it\\'s\\\\n\\u001b[2J\\n'"],
  ])("%s", (shown, expected) => {
    expect(shown).toBe(expected);
  });
});

describe("foldLines", () => {
  it.each([
    ["Play the first three levels and say what you think.", 20, "Play the first three\nlevels and say what\nyou think."],
    ["Run `playtest auth wait-verified` then.", 20, "Run\n`playtest auth wait-verified`\nthen."],
    ["See https://example.com/a/very/long/address here", 20, "See\nhttps://example.com/a/very/long/address\nhere"],
    ["  --name: must be at most 200 characters.", 24, "  --name: must be at\n  most 200 characters."],
    ["short\n\n  as  it  is", 20, "short\n\n  as  it  is"],
  ])("%j in %i columns", (text, width, expected) => {
    expect(foldLines(text, width)).toBe(expected);
  });
});
