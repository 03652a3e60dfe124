import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { noRoom } from "../../src/commands/games/build/source.ts";
import { nameFaults } from "../../src/contract/files/build-names.ts";
import { decode } from "../../src/contract/input/decode.ts";
import { apiKeySearch, isProgram, secretIn } from "../../src/io/files/kinds.ts";
import { inUnpackingOrder, wrongLinks } from "../../src/io/files/links.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

describe("isProgram", () => {
  it.each([
    ["ELF", hex("7f454c46 02010100"), true],
    ["Mach-O, 64 bits", hex("cffaedfe 07000001"), true],
    ["Mach-O, 32 bits, big-endian", hex("feedface 00000012"), true],
    ["Mach-O for two processors", hex("cafebabe 00000002"), true],
    ["Mach-O for two processors with large offsets", hex("cafebabf 00000002"), true],
    ["a class of Java 8", hex("cafebabe 00000034"), false],
    ["a class of Java 1.1", hex("cafebabe 0003002d"), false],
    ["a script", Buffer.from("#!/bin/sh\n"), true],
    ["a script with a space", Buffer.from("#! /usr/bin/env python3\n"), true],
    ["a heading", Buffer.from("#! read this first"), false],
    ["a program of Windows", Buffer.from("MZ\x90\0"), false],
    ["what is cut off", hex("cafebabe"), false],
    ["nothing", Buffer.alloc(0), false],
  ])("%s", (_, head, expected) => expect(isProgram(head)).toBe(expected));
});

describe("secretIn", () => {
  const apiKey = `pt_sk_${"0123456789abcdef".repeat(2)}`;
  it.each([
    ["notes.txt", `my key: ${apiKey}`, "key"],
    ["a/keys.json", '{"https://example.com":{"default":"hosted_1"}}', "key"],
    ["a/keys.json", '{"https://example.com":{"default":{"keyring":true}}}', "key"],
    ["keys.json", '{"jump":"space","website":"https://example.com"}', undefined],
    ["keys.json", "not JSON", undefined],
    ["hosted.txt", "my key: another-form-of-key", "key"],
    ["data/instance.key", `${"ab".repeat(32)}\n`, "key"],
    ["data/instance.key", "a key of the game's first door", undefined],
    ["data/playtest.db", "SQLite format 3\0", "key"],
    ["saves.db", "SQLite format 3\0", undefined],
    [".env", "A=1", "secret"],
    ["server/.env.production", "A=1", "secret"],
    [".env.example", "A=", undefined],
    [".npmrc", "//registry/:_authToken=1", "secret"],
    ["node_modules/x/.npmrc", "package-lock=false\n", undefined],
    ["id_ed25519", "", "secret"],
    ["id_ed25519.pub", "", undefined],
    ["android/release.keystore", "", "secret"],
    ["x/.ssh/known_hosts", "", "secret"],
    [".git/config", "", "secret"],
    ["cert.pem", "-----BEGIN RSA PRIVATE KEY-----\nMII", "secret"],
    ["signing.asc", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "secret"],
    ["service.json", '{"private_key":"-----BEGIN PRIVATE KEY-----\\nMII"}', "secret"],
    ["cacert.pem", "-----BEGIN CERTIFICATE-----\nMII", undefined],
    ["pem.js", "const begin = '-----BEGIN PRIVATE KEY-----';", undefined],
    ["libssl.so", "\x7fELF\0-----BEGIN RSA PRIVATE KEY-----", undefined],
    ["level.bin", "pt_sk_short", undefined],
  ])("%s with %j: %s", (path, text, kind) => {
    expect(secretIn(path, Buffer.from(text, "latin1"), "another-form-of-key")?.kind).toBe(kind);
  });
});

it("apiKeySearch finds a key anywhere, also across blocks, and one of another form unless it is short", () => {
  const apiKey = `pt_sk_${"0123456789abcdef".repeat(2)}`;
  const found = (text: string, own?: string, length = 7) => {
    const search = apiKeySearch(own);
    for (let at = 0; at < text.length; at += length) search.look(Buffer.from(text.slice(at, at + length)));
    return search.found()?.kind;
  };
  const deep = "x".repeat(1000);
  expect(found(deep + apiKey + deep)).toBe("key");
  expect(found(deep.repeat(100) + apiKey, undefined, 2 ** 20)).toBe("key");
  expect(found(`${deep}another-form-of-key`, "another-form-of-key")).toBe("key");
  expect(found(`${deep}short`, "short")).toBeUndefined();
  expect(found(deep + apiKey.slice(0, -1), "another-form-of-key")).toBeUndefined();
});

describe("nameFaults", () => {
  it("names what Windows cannot hold, and what it and macOS take for another name", () => {
    const paths = [
      ...["ok/file.txt", "aux.txt", "COM1", "com¹.log", "console.log", "x?.png", "a:b", "trail. ", "dir./x", "tab\tname"],
      ...["Data/Level.bin", "data/level.bin", "caf\u00e9", "cafe\u0301", "Mods", "mods/a.pak", "lpt10"],
    ];
    const device = "has a name that Windows reserves for a device";
    const ending = "has a name that ends in a dot or space, which Windows does not allow";
    expect(nameFaults(paths)).toEqual([
      { path: "aux.txt", problem: device },
      { path: "COM1", problem: device },
      { path: "com¹.log", problem: device },
      { path: "x?.png", problem: "has the character ? in its name, which Windows does not allow" },
      { path: "a:b", problem: "has the character : in its name, which Windows does not allow" },
      { path: "trail. ", problem: ending },
      { path: "dir./x", problem: ending },
      { path: "tab\tname", problem: "has a control character in its name, which Windows does not allow" },
      { path: "data/level.bin", problem: "has the same name as Data/Level.bin on Windows and macOS" },
      { path: "cafe\u0301", problem: "has the same name as caf\u00e9 on macOS" },
      { path: "Mods", problem: "has the same name as the folder mods on Windows and macOS" },
    ]);
  });

  it("takes no longer for many files in deep folders", () => {
    const deep = "folder/".repeat(50);
    expect(nameFaults(Array.from({ length: 20_000 }, (_, i) => `${deep}${i}`))).toEqual([]);
  });
});

describe("wrongLinks", () => {
  const check = (links: Record<string, string>, files: string[] = []) => {
    const list = Object.entries(links).map(([path, target]) => ({ path, target }));
    const { outside, dangling } = wrongLinks(list, [...files, ...Object.keys(links)]);
    return { outside: outside.map(({ path }) => path), dangling: dangling.map(({ path }) => path) };
  };
  const fine = { outside: [], dangling: [] };

  it("the links of a framework stay inside", () => {
    const links = { "F/Versions/Current": "A", "F/F": "Versions/Current/F", "F/Resources": "Versions/Current/Resources" };
    expect(check(links, ["F/Versions/A/F", "F/Versions/A/Resources/Info.plist"])).toEqual(fine);
  });

  it.each([
    ["lib/x.so", "../data/./y.so"],
    ["lib/x.so", "../lib//y.so"],
    ["here", "."],
    ["lib/up", ".."],
    ["lib/up", "../"],
  ])("%s → %s stays inside", (path, target) => {
    expect(check({ [path]: target }, ["data/y.so", "lib/y.so"])).toEqual(fine);
  });

  it.each([
    ["a", ".."],
    ["a", "/usr/lib/x.so"],
    ["a/b", "../../x"],
    ["a", "b/../../x"],
    ["a", "C:/Games/x"],
  ])("%s → %s leads out", (path, target) => expect(check({ [path]: target }).outside).toEqual([path]));

  it("a link that leads out by the way of another is found, whatever its own words say", () => {
    const links = { "d/top": "..", sly: "d/top/../x", fair: "d/top/x" };
    expect(check(links, ["x"])).toEqual({ outside: ["sly"], dangling: [] });
    expect(check({ abs: "/etc", by: "abs/passwd" }).outside).toEqual(["abs", "by"]);
  });

  it("links to nothing and in circles are dangling", () => {
    expect(check({ a: "none", b: "c", c: "b", d: "d", e: "file/x" }, ["file"]).dangling).toEqual(["a", "b", "c", "d", "e"]);
  });
});

it("inUnpackingOrder puts no link behind one that it leads over", () => {
  const links = { "F/Current": "A", "F/R": "Current/R", "F/Z": "R/z", "F/Y": "Z", a: "b", b: "c", c: "a" };
  const list = Object.entries(links).map(([path, target]) => ({ path, target }));
  expect(inUnpackingOrder(list).map(({ path }) => path)).toEqual(["a", "b", "c", "F/Y", "F/Z", "F/R", "F/Current"]);
});

describe("decode", () => {
  it.each([
    ["UTF-8", Buffer.from("a\n")],
    ["UTF-8 with a mark", Buffer.from("\ufeffa\n")],
    ["UTF-16LE", Buffer.from("\ufeffa\n", "utf16le")],
    ["UTF-16BE", Buffer.from("\ufeffa\n", "utf16le").swap16()],
  ])("%s", (_, bytes) => expect(decode(bytes, "x")).toBe("a\n"));

  it.each([
    ["Latin-1", Buffer.from("caf\xe9\n", "latin1")],
    ["UTF-16 without a mark", Buffer.from("a\n", "utf16le")],
    ["UTF-32LE", Buffer.from("fffe0000 61000000".replace(" ", ""), "hex")],
    ["half a letter of UTF-16", Buffer.from("fffe61", "hex")],
  ])("refuses %s", (_, bytes) => expect(() => decode(bytes, "x")).toThrow("x is not UTF-8 text."));
});

describe("noRoom", () => {
  const failed = (code: string) => noRoom(Object.assign(new Error(code), { code }), 3 * 2 ** 30);

  it("says where there is no room, how much is needed and how to use another folder", () => {
    const { message, extra } = failed("ENOSPC") as Error & { extra: { hint: string } };
    expect(message).toMatch(
      /^Cannot pack the build in .*: the disk is full\. Up to 3\.0 GiB are needed there\. Nothing was sent\.$/,
    );
    expect(extra.hint).toContain("Or set TMPDIR");
  });

  it("names the folder of temporary files, and neither what is copied nor what is removed in the end", () => {
    const paths = { path: "/home/ada/build.zip", dest: "/small/playtest-push-1/build.zip" };
    const error = Object.assign(new Error("full"), { code: "ENOSPC", ...paths });
    expect(noRoom(error, 5)).toMatchObject({ extra: { hint: expect.stringContaining(`on the disk of ${tmpdir()}. `) } });
  });

  it("leaves other errors alone", () => expect(failed("EIO")).toMatchObject({ code: "EIO", message: "EIO" }));
});
