import { z } from "zod";
import { fileDrivers } from "../../database/drivers.ts";

/**
 * What an archive holds, laid out as a data folder is: unpacked by `tar` into an empty one, it can be served. A database that is a file
 * is in it under its own name; in its stead `rows.ndjson` has the rows of any database. `SHA256SUMS` comes last and names every other file.
 */
export const names = {
  manifest: "manifest.json",
  sums: "SHA256SUMS",
  key: "instance.key",
  config: "config.json",
  rows: "rows.ndjson",
} as const;

/** What the manifest calls a database that is in the archive as rows; else it names the driver whose file it is. */
export const rowsOnly = "rows";

/** The driver whose file is in the archive; undefined for rows. */
export const fileDriverOf = ({ database }: Pick<Manifest, "database">) => fileDrivers.find(({ name }) => name === database);

/** What the database is called in the archive. */
export const databaseNameOf = (manifest: Pick<Manifest, "database">) => fileDriverOf(manifest)?.file?.names[0] ?? names.rows;

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const kept = new RegExp(`^(blobs/[a-z]{1,32}/${uuid}|outbox/${uuid}\\.eml)$`);

/** Nothing but names that a server gives: no path in an archive can lead anywhere else. */
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
  /** Files that a row tells of and that were gone from the server already. */
  missing: z.array(z.string()),
});

export type Manifest = z.infer<typeof manifestSchema>;

export const sumLine = (sum: string, name: string) => `${sum}  ${name}\n`;

/** Undefined: not what `sha256sum` writes. */
export function parseSums(text: string): Map<string, string> | undefined {
  const lines = text.split("\n").slice(0, -1);
  const pairs = lines.map((line) => /^([0-9a-f]{64}) {2}(\S+)$/.exec(line));
  return pairs.every((pair) => pair !== null) ? new Map(pairs.map((pair) => [pair![2]!, pair![1]!])) : undefined;
}
