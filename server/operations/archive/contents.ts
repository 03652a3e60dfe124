import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { fileDrivers } from "../../database/drivers.ts";

/**
 * The contents of an archive, laid out like a data folder: a folder, or a tar file that can be unpacked into an empty folder, and then be
 * served. It has either the database file under its own name or `rows.ndjson` with the rows of any database. `SHA256SUMS` comes last and
 * lists every other file.
 */
export const names = {
  manifest: "manifest.json",
  sums: "SHA256SUMS",
  key: "instance.key",
  config: "config.json",
  rows: "rows.ndjson",
} as const;

/** The manifest's `database` when the archive has rows. Otherwise it is the name of the driver whose file is in the archive. */
export const rowsOnly = "rows";

/** The driver whose file is in the archive; undefined for rows. */
export const fileDriverOf = ({ database }: Pick<Manifest, "database">) => fileDrivers.find(({ name }) => name === database);

/** The name of the database in the archive. */
export const databaseNameOf = (manifest: Pick<Manifest, "database">) => fileDriverOf(manifest)?.file?.names[0] ?? names.rows;

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const kept = new RegExp(`^(blobs/[a-z]{1,32}/${uuid}|outbox/${uuid}\\.eml)$`);

/** Accepts only names that a server writes, so that no path in an archive can lead outside of the data folder. */
export const isName = (name: string) =>
  [...Object.values<string>(names), ...fileDrivers.map(({ file }) => file!.names[0])].includes(name) || kept.test(name);

export const manifestSchema = z.strictObject({
  format: z.literal("playtest-archive"),
  version: z.literal(1),
  /** The version of the program that wrote it. */
  program: z.string(),
  createdAt: z.iso.datetime(),
  database: z.enum([rowsOnly, ...fileDrivers.map(({ name }) => name)]),
  migrations: z.array(z.strictObject({ position: z.int(), name: z.string(), checksum: z.string() })),
  /** Files that the database refers to but that were already missing on the server. */
  missing: z.array(z.string()),
  /** Files that are in the bucket of the server, not in the archive, with their SHA-256 where it is known. */
  bucket: z
    .strictObject({
      address: z.string(),
      files: z.array(z.strictObject({ name: z.string(), size: z.int(), sha256: z.string().nullable() })),
    })
    .optional(),
});

export type Manifest = z.infer<typeof manifestSchema>;

export const sumLine = (sum: string, name: string) => `${sum}  ${name}\n`;

/** The SHA-256 of each file. Undefined when the text is not in the format of `sha256sum`. */
export function parseSums(text: string): Map<string, string> | undefined {
  const lines = text.split("\n").slice(0, -1);
  const pairs = lines.map((line) => /^([0-9a-f]{64}) {2}(\S+)$/.exec(line));
  return pairs.every((pair) => pair !== null) ? new Map(pairs.map((pair) => [pair![2]!, pair![1]!])) : undefined;
}

/** The names that backups (folders, or files of earlier versions) and exports get in a folder, and in them the time that they are sorted by. */
export const backupName = /^playtest-(?:export-)?(\d{8}T\d{6}Z)(?:\.tar)?$/;

/** The time of a backup as its name has it. */
export const stampOf = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, "");

/** Whether it is the folder of a complete backup: one that is being written has another name. */
export const isBackupFolder = (path: string) => existsSync(join(path, names.manifest));

/** The name of the newest backup or export in a folder; undefined when there is none. */
export function newestName(folder: string): string | undefined {
  const timeIn = (name: string) => backupName.exec(name)?.[1] ?? "";
  return readdirSync(folder)
    .filter(timeIn)
    .sort((a, b) => (timeIn(a) < timeIn(b) ? 1 : -1))[0];
}
