import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { create } from "tar";
import { describe, expect, it } from "vitest";
import { boundsOf, readTar, type TarEntry } from "../../src/io/files/tar.ts";
import { testFolder } from "../helpers/cli.ts";
import { tarOf } from "../helpers/tar.ts";

async function read(bytes: Buffer, bounds = boundsOf(bytes.length)) {
  const file = join(testFolder(), "a.tar");
  writeFileSync(file, bytes);
  const entries: TarEntry[] = [];
  let count = 0;
  const onBytes = (more: number) => {
    count += more;
  };
  const shortfall = await readTar(file, bounds, onBytes, (entry) => entries.push(entry));
  return { shortfall, count, entries, paths: entries.map(({ path }) => path) };
}

describe("readTar", () => {
  it("reads names of any length and letters as the tar package writes them", async () => {
    const [folder, out] = [testFolder(), join(testFolder(), "all.tgz")];
    const deep = `${"d".repeat(120)}/${"ü".repeat(90)}.txt`;
    const names = [deep, "plain", "new\nline 🎮"];
    mkdirSync(join(folder, "d".repeat(120)));
    for (const name of names) writeFileSync(join(folder, name), name);
    await create({ cwd: folder, file: out, gzip: true, portable: true }, ["."]);
    const entries: TarEntry[] = [];
    expect(
      await readTar(
        out,
        boundsOf(1),
        () => {},
        (entry) => entries.push(entry),
      ),
    ).toBeUndefined();
    const files = entries.filter(({ kind }) => kind === "file").map(({ path, head }) => [path, head.toString()]);
    expect(files.sort()).toEqual(names.map((name) => [name, name]).sort());
  });

  it("keeps no more than the beginning of a file", async () => {
    const { entries, shortfall } = await read(gzipSync(tarOf({ big: Buffer.alloc(3_000_000, 1), small: "s" })));
    expect([shortfall, entries.map(({ head }) => head.length)]).toEqual([undefined, [65_536, 1]]);
  });

  it("stops at the bounds: bytes and entries", async () => {
    const packed = gzipSync(tarOf(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`f${i}`, ""]))));
    const stopped = { damaged: false, why: "it unpacks to far more than its size" };
    expect((await read(packed, { bytes: 300_000, entries: 5000 })).shortfall).toEqual(stopped);
    const few = await read(packed, { bytes: 2 ** 30, entries: 200 });
    expect(few.shortfall).toEqual(stopped);
    expect(few.entries.length).toBeLessThan(2000);
  });

  it("does not read on behind the end", async () => {
    const { shortfall, count, paths } = await read(Buffer.concat([tarOf({ a: "a" }), Buffer.alloc(2 ** 25)]));
    expect([shortfall, paths]).toEqual([undefined, ["a"]]);
    expect(count).toBeLessThan(2 ** 22);
  });

  it.each([
    ["cut off", tarOf({ a: Buffer.alloc(5000) }).subarray(0, 2000), true],
    ["gzip, cut off", gzipSync(tarOf({ a: "a" })).subarray(0, 40), true],
    ["no archive", Buffer.alloc(2000, "x"), true],
    ["with an entry of an unusual kind", tarOf({ a: "a", sparse: { type: "SparseFile", bytes: "x" } }), false],
    ["packed twice", gzipSync(gzipSync(tarOf({ a: "a" }))), false],
  ])("%s", async (_, bytes, damaged) => expect((await read(bytes)).shortfall?.damaged).toBe(damaged));
});
