import { inflateSync } from "node:zlib";

interface Table {
  tag: string;
  checksum: number;
  bytes: Buffer;
}

/**
 * Returns the font in a WOFF 1 file, the first font of a collection (`.ttc`), and any other file unchanged. pdfkit can read WOFF, but
 * inflates a table again for every glyph, which takes seconds for a large font. For a collection, it requires the name of a font.
 */
export function plainFont(file: Buffer): Buffer {
  const signature = file.toString("latin1", 0, 4);
  if (signature === "wOFF") return assemble(file.subarray(4, 8), tablesOf(file, file.readUInt16BE(12), 44, fromWoff));
  if (signature !== "ttcf") return file;
  const first = file.readUInt32BE(12);
  return assemble(file.subarray(first, first + 4), tablesOf(file, file.readUInt16BE(first + 4), first + 12, fromCollection));
}

type ReadEntry = { size: number; read(file: Buffer, at: number): Table };

const tablesOf = (file: Buffer, count: number, start: number, { size, read }: ReadEntry) =>
  Array.from({ length: count }, (_, index) => read(file, start + index * size));

const fromWoff: ReadEntry = {
  size: 20,
  read(file, at) {
    const [offset, packed, length] = [file.readUInt32BE(at + 4), file.readUInt32BE(at + 8), file.readUInt32BE(at + 12)];
    const body = file.subarray(offset, offset + packed);
    return {
      tag: file.toString("latin1", at, at + 4),
      checksum: file.readUInt32BE(at + 16),
      bytes: packed < length ? inflateSync(body) : body,
    };
  },
};

const fromCollection: ReadEntry = {
  size: 16,
  read(file, at) {
    const offset = file.readUInt32BE(at + 8);
    return {
      tag: file.toString("latin1", at, at + 4),
      checksum: file.readUInt32BE(at + 4),
      bytes: file.subarray(offset, offset + file.readUInt32BE(at + 12)),
    };
  },
};

const padded = (length: number) => (length + 3) & ~3;

function assemble(flavor: Buffer, tables: Table[]): Buffer {
  const directory = Buffer.alloc(12 + tables.length * 16);
  flavor.copy(directory);
  directory.writeUInt16BE(tables.length, 4);
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
