/** Why a computer cannot open or write files at the moment, and what its operator does about it. */
export interface Shortage {
  /** A clause: "the disk is full". */
  what: string;
  /** One sentence. */
  remedy: string;
  /** The folder whose disk has the problem. Undefined when any file would have it. */
  folder?: string;
}

const ofDisk = (what: string, remedy: (folder: string) => string) => (folder: string) => ({
  what,
  remedy: remedy(folder),
  folder,
});

/** By the code of the system's error. */
const shortages: Readonly<Record<string, (folder: string) => Shortage>> = {
  ENOSPC: ofDisk("the disk is full", (folder) => `Free some space on the disk of ${folder}.`),
  EDQUOT: ofDisk("the disk quota is used up", (folder) => `Free some space on the disk of ${folder}, or raise its quota.`),
  EROFS: ofDisk(
    "the file system is read-only",
    (folder) => `Make the disk of ${folder} writable, or use another. After errors, a disk can become read-only by itself.`,
  ),
  EFBIG: () => ({
    what: "the file would be larger than this process may write",
    remedy: "Raise the limit of file sizes (`ulimit -f`; in a service, LimitFSIZE).",
  }),
  EMFILE: () => ({
    what: "this process has as many open files and connections as it may have",
    remedy: "Raise the limit of open files, for example with `ulimit -n 4096` (in a service, LimitNOFILE).",
  }),
  ENFILE: () => ({
    what: "this computer has too many open files",
    remedy: "Close other programs, or raise the system's limit of open files (`fs.file-max`).",
  }),
};

/** What the computer lacks, when that is why an error happened; else undefined. `folder`: of the file, when the error names none. Of two files, the one that is written counts. */
export function shortageOf(error: unknown, folder = "the data directory"): Shortage | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, dest = path } = error as { code?: unknown; path?: unknown; dest?: unknown };
  if (typeof code !== "string") return undefined;
  // A thread that cannot be started has a code of its own, and the system's in its message.
  const known = code === "ERR_WORKER_INIT_FAILED" ? (/\bE[MN]FILE\b/.exec(error.message)?.[0] ?? code) : code;
  if (!Object.hasOwn(shortages, known)) return undefined;
  return shortages[known]!(typeof dest === "string" ? folderOf(dest) : folder);
}

/** The folder of a file. */
export const folderOf = (path: string) => path.replace(/(?<=.)[\\/][^\\/]*$/, "");
