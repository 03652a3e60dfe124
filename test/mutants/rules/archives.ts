import type { Mutant } from "../mutant.ts";

const backup = "server/operations/archive/backup.ts";
const pack = "server/operations/archive/write.ts";
const capture = "server/operations/archive/capture.ts";
const read = "server/operations/archive/read.ts";
const restore = "server/operations/archive/restore.ts";
const rows = "server/operations/archive/rows.ts";
const swap = "server/operations/archive/swap.ts";
const tar = "server/operations/archive/tar.ts";
const load = "server/operations/archive/load.ts";
const unit = "server/operations/systemd.ts";

export const archivesRules: readonly Mutant[] = [
  {
    rule: "a backup gets its name only when it is whole",
    test: "cli/backup",
    edits: [[backup, "const part = join(dirname(file), ", "const part = file || join("]],
  },
  {
    rule: "a backup that is interrupted leaves nothing",
    test: "cli/backup",
    edits: [
      [
        backup,
        "if (name.startsWith(basename(part))) await rm(join(dirname(file), name));",
        "if (name === file) if (name.startsWith(basename(part))) await rm(join(dirname(file), name));",
      ],
    ],
  },
  {
    rule: "a copy of a database that is not in order is not kept",
    test: "cli/backup",
    edits: [[capture, "  if (failed === undefined) return;", "  if (failed !== null) return;"]],
  },
  {
    rule: "a database that is newer than the program is not copied in part",
    test: "cli/backup",
    edits: [[capture, "  assertSameHistory(history);\n", ""]],
  },
  {
    rule: "files that came while a backup was at work are in it",
    test: "cli/backup",
    edits: [[pack, "await this.#addFiles(captured.blobs.map(", "await this.#addFiles([].map("]],
  },
  {
    rule: "a file that went while a backup was at work is looked for once more",
    test: "cli/backup",
    edits: [[pack, "      if (missing.length === 0 || stillMissing) {", "      if (missing.length >= 0 || stillMissing) {"]],
  },
  {
    rule: "a backup says what the server has lost",
    test: "cli/backup",
    edits: [[pack, "        this.missing.push(...missing);\n", ""]],
  },
  {
    rule: "a backup replaces no file unless told",
    test: "cli/backup",
    edits: [[backup, "if (existsSync(file) && !force)", "if (existsSync(file) && force)"]],
  },
  {
    rule: "of older backups as many stay as were to be kept",
    test: "cli/backup",
    edits: [[backup, "others.length + 1 - keep", "others.length - keep"]],
  },
  {
    rule: "what a killed backup left is removed, not what one leaves that is at work",
    test: "cli/backup",
    edits: [[backup, "mtimeMs < now - day", "mtimeMs < now + day"]],
  },
  {
    rule: "each file of an archive is checked against its sum",
    test: "cli/backup",
    edits: [[read, 'if (!sameText(hash.digest("hex"), sums!.get(entry.name)!))', "if (hash === undefined)"]],
  },
  {
    rule: "an archive holds files of a server's names only",
    test: "cli/backup",
    edits: [[read, "entries.find(({ name }) => !isName(name)) ??", "entries.find(({ name }) => name === undefined) ??"]],
  },
  {
    rule: "an archive holds regular files only",
    test: "cli/backup",
    edits: [[tar, ' || !isText(header, 156, "0")', ""]],
  },
  {
    rule: "an archive whose end is missing was not copied whole",
    test: "cli/backup",
    edits: [
      [tar, "    if (bytesRead < block) throw", "    if (bytesRead < block) return entries;\n    if (bytesRead < 0) throw"],
    ],
  },
  {
    rule: "a restore keeps what was there",
    test: "cli/backup",
    edits: [[swap, "    ...old.map((name) => [join(dataDir, name), join(away, name)] as const),\n", ""]],
  },
  {
    rule: "a restore that fails moves everything back",
    test: "cli/backup",
    edits: [[swap, "    for (const [from, to] of moved.reverse()) await rename(to, from);\n", ""]],
  },
  {
    rule: "a server that runs is not replaced",
    test: "cli/backup",
    edits: [
      [
        restore,
        "const unlock = await lockDataDir(dataDir).catch((error) => Promise.reject(inUse(error)));",
        "const unlock = await lockDataDir(dataDir).catch((error) => (inUse(error) ? () => {} : () => {}));",
      ],
    ],
  },
  {
    rule: "no server starts on half of a restore",
    test: "cli/backup",
    edits: [["server/main.ts", "  if (isHalfRestored(dataDir))", "  if (isHalfRestored(dataDir) && options.ephemeral)"]],
  },
  {
    rule: "a key of the environment that is not the archive's is refused",
    test: "cli/backup",
    edits: [[restore, "    requireSameKey(options, staging);\n", ""]],
  },
  {
    rule: "an import fills an empty database only",
    test: "cli/export",
    edits: [
      [restore, "  if (!driver.file) await requireEmptyDatabase(location);\n", ""],
      [load, "  if (used === undefined) return;", "  if (used !== null) return;"],
    ],
  },
  {
    rule: "an import goes only where no server is",
    test: "cli/export",
    edits: [
      [restore, "  if (there !== undefined && !replace)", "  if (there !== undefined && !replace && databaseUrl !== undefined)"],
    ],
  },
  {
    rule: "what an import finds wrong in the database undoes it",
    test: "cli/export",
    edits: [[load, "      if (damage !== undefined) throw", "      if (damage === null) throw"]],
  },
  {
    rule: "an archive lacks no file that its rows tell of",
    test: "cli/export",
    edits: [[restore, "  if (missing !== undefined) return", "  if (missing === null) return"]],
  },
  {
    rule: "bytes go from database to database as they are",
    test: "cli/export",
    edits: [[rows, 'return Buffer.from(base64, "base64");', 'return Buffer.from(base64, "utf8");']],
  },
  {
    rule: "every page of rows goes on behind the last",
    test: "cli/export",
    edits: [[rows, "    if (rows.length < size) return;", "    if (rows.length <= size) return;"]],
  },
  {
    rule: "tables and columns are those that the migrations make",
    test: "cli/export",
    edits: [
      [rows, "if (table && JSON.stringify(table.columns) === JSON.stringify(columns)) return table;", "if (table) return table;"],
    ],
  },
  {
    rule: "nothing in a flag begins a line of a unit file",
    test: "cli/systemd",
    edits: [[unit, "if (/\\p{Cc}/u.test(text))", 'if (text === "")']],
  },
  {
    rule: "systemd waits longer than the server takes to stop",
    test: "cli/systemd",
    edits: [[unit, "const afterDrainSeconds = 10;", "const afterDrainSeconds = 0;"]],
  },
];
