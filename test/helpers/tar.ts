import { Header } from "tar";

/** An entry of a tar archive; a link where `to` is given, a second name of a file where `same` is. */
export interface TarPart {
  bytes?: Buffer | string;
  to?: string;
  same?: string;
  type?: "SparseFile";
  /** Default 0644. */
  mode?: number;
}

function entryOf(path: string, { bytes, to, same, type, mode = 0o644 }: TarPart): Buffer {
  const data = Buffer.from(bytes ?? "");
  const kind =
    type ?? (to !== undefined ? "SymbolicLink" : same !== undefined ? "Link" : path.endsWith("/") ? "Directory" : "File");
  const header = Buffer.alloc(512);
  const linkpath = to ?? same;
  new Header({ path, type: kind, mode, size: data.length, mtime: new Date(0), ...(linkpath && { linkpath }) }).encode(header);
  return Buffer.concat([header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]);
}

/** A tar archive, of whatever paths. */
export const tarOf = (parts: Record<string, TarPart | string | Buffer>) =>
  Buffer.concat([
    ...Object.entries(parts).map(([path, part]) =>
      entryOf(path, typeof part === "string" || Buffer.isBuffer(part) ? { bytes: part } : part),
    ),
    Buffer.alloc(1024),
  ]);
