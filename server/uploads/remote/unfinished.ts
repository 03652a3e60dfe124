import { open, truncate } from "node:fs/promises";
import type { Unfinished } from "../blobs.ts";
import { sizeOf } from "../local-blobs.ts";
import { Bucket } from "../s3/bucket.ts";
import { pieceOf } from "../s3/parts.ts";

/** How many bytes an object with a part of an upload has at most: a bucket that takes 0.3 MB a second must have it before the client gives up. */
const most = 4 * 2 ** 20;

/** The part of the keys before the id. */
export const unfinishedKind = "unfinished";

interface Piece {
  key: string;
  from: number;
  size: number;
}

/** Keeps the bytes of unfinished uploads as objects that are named by where they begin. A client waits, so it gives up soon. */
export function createUnfinished({ client }: Bucket): Unfinished {
  const bucket = new Bucket(client.impatient());
  const folder = (id: string) => `${unfinishedKind}/${id}/`;

  /** Those that follow each other from the start. */
  async function piecesOf(id: string): Promise<Piece[]> {
    const found: Piece[] = [];
    for await (const { key, size } of bucket.list([folder(id)])) found.push({ key, size, from: Number(key.split("/").at(-1)) });
    found.sort((a, b) => a.from - b.from);
    const pieces: Piece[] = [];
    for (const piece of found) if (piece.from === endOf(pieces)) pieces.push(piece);
    return pieces;
  }

  return {
    size: async (id) => endOf(await piecesOf(id)),
    async save(id, path, goesOn) {
      const size = (await sizeOf(path)) ?? 0;
      let from = size === 0 ? 0 : endOf(await piecesOf(id));
      if (size <= from) return;
      const file = await open(path);
      try {
        while (from < size) {
          const bytes = await pieceOf(file, from, Math.min(most, size - from));
          // A process that hung until another took the upload over must not replace what that one saved.
          if (!(await goesOn())) return;
          await bucket.put(`${folder(id)}${String(from).padStart(16, "0")}`, bytes);
          from += bytes.length;
        }
      } finally {
        await file.close();
      }
    },
    async load(id, path) {
      const pieces = await piecesOf(id);
      if (pieces.length === 0) return;
      const file = await open(path, "a", 0o600);
      try {
        const { size } = await file.stat();
        const kept = Math.max(0, ...pieces.map(({ from }) => from).filter((from) => from <= size));
        if (endOf(pieces) <= size) return;
        await truncate(path, kept);
        for (const { key, from, size } of pieces.filter((piece) => piece.from >= kept)) {
          const bytes = await bucket.read(key);
          if (!bytes) throw new Error(`${key} was removed while it was read`);
          for await (const chunk of bytes) await file.write(chunk);
          if ((await sizeOf(path)) !== from + size) throw new Error(`${key} was replaced while it was read`);
        }
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async remove(id) {
      for await (const { key } of bucket.list([folder(id)])) await bucket.remove(key);
    },
  };
}

const endOf = (pieces: readonly Piece[]) => {
  const last = pieces.at(-1);
  return last === undefined ? 0 : last.from + last.size;
};
