import { inflateSync } from "node:zlib";

const signature = 0x774f4646;

/**
 * A WOFF 1 file as the plain font it holds; anything else as it is. pdfkit reads WOFF itself, but inflates a table anew
 * for every glyph, which takes seconds for a large font.
 */
export function plainFont(file: Buffer): Buffer {
  if (file.length < 44 || file.readUInt32BE(0) !== signature) return file;
  const count = file.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) => tableAt(file, 44 + index * 20));
  const directory = Buffer.alloc(12 + count * 16);
  file.copy(directory, 0, 4, 8);
  directory.writeUInt16BE(count, 4);
  let offset = directory.length;
  tables.forEach(({ tag, checksum, bytes }, index) => {
    const entry = 12 + index * 16;
    directory.write(tag, entry, "latin1");
    directory.writeUInt32BE(checksum, entry + 4);
    directory.writeUInt32BE(offset, entry + 8);
    directory.writeUInt32BE(bytes.length, entry + 12);
    offset += padded(bytes.length);
  });
  const bodies = tables.map(({ bytes }) => Buffer.concat([bytes], padded(bytes.length)));
  return Buffer.concat([directory, ...bodies]);
}

const padded = (length: number) => (length + 3) & ~3;

function tableAt(file: Buffer, at: number) {
  const [offset, packed, length] = [file.readUInt32BE(at + 4), file.readUInt32BE(at + 8), file.readUInt32BE(at + 12)];
  const body = file.subarray(offset, offset + packed);
  return {
    tag: file.toString("latin1", at, at + 4),
    checksum: file.readUInt32BE(at + 16),
    bytes: packed < length ? inflateSync(body) : body,
  };
}
