import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createReadStream,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { BlobReader, configure, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js";

configure({ useWebWorkers: false });

/** A file of a build; a link where `to` is given, a folder where nothing is. */
export interface Part {
  bytes?: Buffer | string;
  to?: string;
  /** Default 0644. */
  mode?: number;
}
export type Parts = Record<string, Part | string>;

/** When the files of test builds were written. */
export const builtAt = new Date("2024-02-29T23:59:58Z");

/** Puts the parts into a folder, all written at `builtAt`. */
export function writeParts(parts: Parts, folder: string): string {
  for (const [path, given] of Object.entries(parts)) {
    const part = typeof given === "string" ? { bytes: given } : given;
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (part.to !== undefined) symlinkSync(part.to, file);
    else if (part.bytes === undefined) mkdirSync(file, { recursive: true });
    else {
      writeFileSync(file, part.bytes, { mode: part.mode ?? 0o644 });
      utimesSync(file, builtAt, builtAt);
    }
  }
  return folder;
}

/** What an archive or a folder holds: the bytes of a file or the target of a link, the mode, and the time of files in seconds. */
export type Held = Record<string, { holds: string; mode: string; time?: number }>;

/** What a zip archive says that it holds. */
export async function heldInZip(archive: Uint8Array): Promise<Held> {
  const reader = new ZipReader(new BlobReader(new Blob([archive as Uint8Array<ArrayBuffer>])));
  const held: Held = {};
  for (const entry of await reader.getEntries()) {
    const mode = ((entry.externalFileAttributes ?? 0) >>> 16).toString(8);
    const bytes = entry.directory ? Buffer.alloc(0) : Buffer.from(await entry.getData!(new Uint8ArrayWriter()));
    held[entry.filename] = { holds: bytes.toString("latin1"), mode, time: entry.lastModDate.getTime() / 1000 };
  }
  return held;
}

const longest = 2 ** 20;

/** What a folder holds; of long files, their SHA-256. Folders count where they are empty. */
export async function heldInFolder(root: string, folder = ""): Promise<Held> {
  const held: Held = {};
  const names = readdirSync(join(root, folder));
  if (names.length === 0 && folder !== "") held[`${folder}/`] = { holds: "", mode: "40755" };
  for (const name of names) {
    const path = folder === "" ? name : `${folder}/${name}`;
    const file = join(root, path);
    const info = lstatSync(file);
    if (info.isDirectory()) Object.assign(held, await heldInFolder(root, path));
    else if (info.isSymbolicLink()) held[path] = { holds: readlinkSync(file), mode: "120777" };
    else held[path] = { holds: await holds(file, info.size), mode: info.mode.toString(8), time: Math.floor(info.mtimeMs / 1000) };
  }
  return held;
}

async function holds(file: string, size: number): Promise<string> {
  if (size <= longest) return readFileSync(file, "latin1");
  const hash = createHash("sha256");
  for await (const block of createReadStream(file)) hash.update(block as Buffer);
  return hash.digest("hex");
}

/** Python's own module restores neither links nor modes nor times, so this does with what the module reads. */
const pythonUnpacker = `
import calendar, os, sys, zipfile
archive, folder = sys.argv[1:]
with zipfile.ZipFile(archive) as z:
    for info in z.infolist():
        path, mode = os.path.join(folder, info.filename), info.external_attr >> 16
        if mode & 0o170000 == 0o120000:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(z.read(info), path)
            continue
        z.extract(info, folder)
        if info.is_dir(): continue
        os.chmod(path, mode & 0o777)
        time = calendar.timegm(info.date_time)
        os.utime(path, (time, time))
`;

/** Runs a program as a user far away from where the build was made. */
export const runAway = (words: readonly string[], cwd?: string) =>
  execFileSync("sh", ["-c", 'umask 022; exec "$@"', "sh", ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TZ: "America/New_York", LC_ALL: "C.UTF-8" },
    stdio: ["ignore", "ignore", "inherit"],
  });

const unpackers: Readonly<Record<string, (archive: string, folder: string) => string[]>> = {
  unzip: (archive, folder) => ["unzip", "-q", archive, "-d", folder],
  bsdtar: (archive, folder) => ["bsdtar", "-xpf", archive, "-C", folder],
  "7z": (archive, folder) => ["7z", "x", "-bso0", `-o${folder}`, archive],
  "7zz": (archive, folder) => ["7zz", "x", "-bso0", `-o${folder}`, archive],
  python3: (archive, folder) => ["python3", "-c", pythonUnpacker, archive, folder],
};

/** Whether a program is installed. If not, this is said, because what needs it is left out. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    console.info(`${program} is not installed: the tests with it are left out.`);
    return false;
  }
}

/** The programs of this machine that unpack zip archives. */
export const installedUnpackers = () => Object.keys(unpackers).filter(isInstalled);

/** What a program unpacks. */
export async function unpacked(program: string, archive: string, folder: string): Promise<Held> {
  mkdirSync(folder, { recursive: true });
  runAway(unpackers[program]!(archive, folder));
  return heldInFolder(folder);
}

/** The first bytes of programs, and others behind them. */
export const programs = {
  elf: Buffer.concat([Buffer.from("7f454c460201010000", "hex"), Buffer.from("linux")]),
  machO: Buffer.concat([Buffer.from("cffaedfe07000001", "hex"), Buffer.from("macos")]),
  universal: Buffer.concat([Buffer.from("cafebabe00000002", "hex"), Buffer.from("macos, twice")]),
  script: Buffer.from("#!/bin/sh\nexec ./game\n"),
  windows: Buffer.from("MZ\x90\0windows", "latin1"),
};

const { elf, machO, universal, script, windows } = programs;
const program = (bytes: Buffer): Part => ({ bytes, mode: 0o755 });
const engine = "Game.app/Contents/Frameworks/Engine.framework";

/** What engines export for each system. */
export const exportedBuilds: Readonly<Record<string, Parts>> = {
  "a macOS bundle": {
    "Game.app/Contents/Info.plist": "<plist/>",
    "Game.app/Contents/MacOS/Game": program(universal),
    "Game.app/Contents/Resources/icon.icns": "icns",
    [`${engine}/Versions/A/Engine`]: program(machO),
    [`${engine}/Versions/A/Resources/Info.plist`]: "<plist/>",
    [`${engine}/Versions/A/_CodeSignature/CodeResources`]: "<plist/>",
    [`${engine}/Versions/Current`]: { to: "A" },
    [`${engine}/Engine`]: { to: "Versions/Current/Engine" },
    [`${engine}/Resources`]: { to: "Versions/Current/Resources" },
    // Their names come behind that of the link that they lead over.
    [`${engine}/Versions/A/XPCServices/Updater`]: program(machO),
    [`${engine}/XPCServices`]: { to: "Versions/Current/XPCServices" },
    [`${engine}/Z`]: { to: "XPCServices/Updater" },
  },
  "a Unity export for Linux": {
    "Game.x86_64": program(elf),
    "UnityPlayer.so": program(elf),
    "Game_Data/level0": "x".repeat(70_000),
    "Game_Data/Plugins/libsteam_api.so.1": program(elf),
    "Game_Data/Plugins/libsteam_api.so": { to: "libsteam_api.so.1" },
    "Game_Data/Resources/unity default resources": "unity",
    "Game_Data/StreamingAssets": {},
  },
  "a Godot export for Linux": {
    "game.sh": program(script),
    "game.x86_64": program(elf),
    "game.pck": "GDPC",
    "übersetzungen/日本語.po": "msgid",
  },
  "a Windows export": {
    "Game.exe": { bytes: windows },
    "UnityPlayer.dll": { bytes: windows },
    "Game_Data/level0": "level",
    "Game_Data/Managed/Assembly-CSharp.dll": { bytes: windows },
    "Read me.txt": "Hello\r\n",
  },
};
