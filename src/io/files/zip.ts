import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { sha256 } from "../../contract/hash/sha256.ts";
import { failure } from "../../errors.ts";
import { type BuildItem, blocksOf, type OnBytes, type ReadFile } from "./contents.ts";
import { inUnpackingOrder } from "./links.ts";
import type { TreeLink } from "./tree.ts";

const modes = { folder: 0o40755, link: 0o120777, program: 0o100755, file: 0o100644 };
const modeOf = (item: BuildItem) => modes[item.kind === "file" && item.executable ? "program" : item.kind];

/** A time as zip archives hold it, which have no zone: in UTC, so that it is the same on every machine. */
function dosTime(time: Date): number {
  const earliest = Math.max(time.getTime(), Date.UTC(1980, 0, 1));
  const at = new Date(Math.min(earliest, Date.UTC(2107, 11, 31, 23, 59, 58)));
  const day = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return ((day << 16) | (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)) >>> 0;
}

const changed = (path: string, cause?: unknown) =>
  failure(
    `${path} changed while it was packed. Nothing was sent.`,
    "Close the program that writes it, or list it in .playtestignore. Then run the command again.",
    cause,
  );

/** The bytes of a file, which must be those that were read before: what is sent is then what its hash says. */
async function* unchanged({ path, file, size, crc32: expected }: ReadFile): AsyncGenerator<Uint8Array> {
  let [sent, check] = [0, 0];
  try {
    for await (const block of blocksOf(file)) {
      sent += block.length;
      check = crc32(block, check);
      if (sent > size) break;
      yield block;
    }
  } catch (error) {
    throw changed(path, error);
  }
  if (sent !== size || check !== expected) throw changed(path);
}

const isLink = (item: BuildItem): item is TreeLink => item.kind === "link";

/** As programs unpack them: links last. */
const ordered = (items: readonly BuildItem[]) => [
  ...items.filter((item) => !isLink(item)),
  ...inUnpackingOrder(items.filter(isLink)),
];

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/**
 * Writes a reproducible zip archive: the same files with the same times give the same bytes, at any time and on any machine. Times are
 * written as UTC, too, which all programs that unpack prefer. Returns its SHA-256 and its size in bytes.
 */
export async function writeZip(items: readonly BuildItem[], target: string, signal: AbortSignal, onBytes: OnBytes) {
  const { ZipWriter } = await import("@zip.js/zip.js/lib/zip-core-writer.js");
  const output = await open(target, "wx", 0o600);
  const hash = sha256();
  let size = 0;
  const sink = new WritableStream<Uint8Array>({
    async write(block) {
      await output.appendFile(block);
      hash.update(block);
      size += block.length;
      onBytes(block.length);
    },
  });
  const zip = new ZipWriter(sink, { level: 6, useWebWorkers: false, useCompressionStream: true });
  try {
    for (const item of ordered(items)) {
      signal.throwIfAborted();
      const lastModDate = new Date(item.time);
      const about = { lastModDate, rawLastModDate: dosTime(lastModDate), unixMode: modeOf(item) };
      // What is short is written whole, with its length in front: not everything that unpacks finds the end of stored data otherwise.
      const short = { ...about, level: 0, bufferedWrite: true };
      if (item.kind === "folder") await zip.add(`${item.path}/`, undefined, { ...short, directory: true });
      else if (item.kind === "link")
        await zip.add(
          item.path,
          { readable: ReadableStream.from(once(item.target)), size: Buffer.byteLength(item.target) },
          short,
        );
      else await zip.add(item.path, { readable: ReadableStream.from(unchanged(item)), size: item.size }, about);
    }
    await zip.close();
  } finally {
    await output.close();
  }
  return { sha256: hash.digest("hex"), size };
}
