import type { Mutant } from "../mutant.ts";

const taking = "server/uploads/index.ts";
const files = "server/uploads/files.ts";

const uploads: readonly Omit<Mutant, "test">[] = [
  {
    rule: "no more than its length is taken, also of a body that does not say how long it is",
    edits: [[taking, "if (end > upload.size) return tooMuch();", ""]],
  },
  {
    rule: "nothing is kept of a request that brings too much",
    edits: [[taking, "end > upload.size ? files.cutTo(upload.id, before) :", "end > upload.size ? Promise.resolve() :"]],
  },
  {
    rule: "too much does not end the upload",
    edits: [
      [
        taking,
        "await (end > upload.size ? files.cutTo(upload.id, before) : refuse(deps, files, upload, held.hold));",
        "await refuse(deps, files, upload, held.hold);",
      ],
    ],
  },
  { rule: "what is no video is not kept", edits: [[taking, "return isAccepted(chunk) ? undefined : notVideo();", "return;"]] },
  { rule: "bytes go behind those that are here", edits: [[files, "start: offset }", "start: 0 }"]] },
  {
    rule: "files are for nobody else to read",
    edits: [[files, 'writeFile(this.path(upload.id), "", { mode: 0o600 })', 'writeFile(this.path(upload.id), "")']],
  },
  {
    rule: "their folder is for nobody else to read",
    edits: [["server/uploads/handlers.ts", "recursive: true, mode: 0o700", "recursive: true, mode: 0o755"]],
  },
  {
    rule: "the folder of what is whole is for nobody else to read",
    edits: [["server/uploads/local-blobs.ts", "recursive: true, mode: 0o700", "recursive: true, mode: 0o755"]],
  },
];

export const uploadsRules: readonly Mutant[] = [
  ...uploads.map((row) => ({ ...row, rule: `uploads: ${row.rule}`, test: "api/uploads" })),
  {
    rule: "uploads: a process that lost an upload removes nothing of it",
    test: "faults/upload-writers",
    edits: [["server/uploads/finish.ts", "if (!(await hold.end(tx))) return false;", ""]],
  },
  {
    rule: "uploads: whoever takes an upload from a process that did not let go of it writes to a file of its own",
    test: "faults/upload-writers",
    edits: [
      [
        "server/uploads/writers/store.ts",
        "WHEN upload_writers.lease_until = 0 THEN 0 ELSE 1 END",
        "WHEN 1 = 1 THEN 0 ELSE 1 END",
      ],
    ],
  },
  {
    rule: "uploads: a file that is stored is never replaced",
    test: "unit/local-blobs",
    edits: [["server/uploads/local-blobs.ts", "await link(path, target);", "await rename(path, target);"]],
  },
];
