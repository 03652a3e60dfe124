import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readTree } from "../../src/io/files/tree.ts";
import { freshFolder } from "../helpers/store.ts";

const folder = freshFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const signal = new AbortController().signal;
const seed = Number(process.env.PLAYTEST_SEED ?? 20_261_125);
const trees = 1_000;

/** Mulberry32. */
function randomFrom(start: number) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomFrom(seed);
const below = (count: number) => Math.floor(random() * count);
const one = <T>(choices: readonly T[]): T => choices[below(choices.length)]!;
const several = <T>(most: number, make: () => T): T[] => Array.from({ length: 1 + below(most) }, make);

const names = [
  "a",
  "b",
  "ab",
  "Debug",
  "debug",
  "x.py",
  "x.pyc",
  "x.log",
  "#x",
  "!x",
  "a b",
  " a",
  "é.txt",
  "[a]",
  "a.b.c",
  "-",
  "$",
  "^b",
  "{a,b}",
  "A",
];
const pieces = [
  "a",
  "b",
  "x",
  ".",
  "*",
  "?",
  "**",
  "[ab]",
  "[!a]",
  "[^a]",
  "[a-d]",
  "[dD]ebug",
  "*.py[co]",
  "\\#x",
  "\\!x",
  "\\*",
  "\\[a]",
  "x.log",
  "é",
  "#x",
  "!x",
  "a b",
  "[[:alpha:]]",
  "[]a]",
  "$",
  "^",
  "{a,b}",
  "(",
  "+",
  "\\ ",
];
// Of stars beside other characters Git's manual says that they are one star, but Git matches `a**/**` against a file `a`.
const segment = () =>
  one([one(names), one(pieces), one(pieces) + one(pieces), one(names) + one(["*", "?"]), "**", "*"]).replace(
    /(?<=.)\*\*|\*\*(?=.)/g,
    "*",
  );
const pattern = () =>
  one(["", "", "", "!"]) + one(["", "", "/"]) + several(3, segment).join("/") + one(["", "", "/", " ", "/**", "/*", "\\ "]);
const line = () => one([pattern, pattern, pattern, pattern, () => "", () => "# note"])();

/** The files of a random tree; a name is a folder or a file, not both. */
function filesOf(): string[] {
  const all = new Set(several(12, () => several(3, () => one(names)).join("/")));
  return [...all].filter((path) => ![...all].some((other) => other.startsWith(`${path}/`)));
}

it(`${trees} random trees are packed without exactly what git ignores (seed ${seed})`, async () => {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  execFileSync("git", ["init", "-q", folder], { env });
  const made = Array.from({ length: trees }, (_, i) => {
    const [files, list] = [filesOf(), several(6, line).join("\n")];
    for (const path of files) {
      mkdirSync(dirname(join(folder, `${i}`, path)), { recursive: true });
      writeFileSync(join(folder, `${i}`, path), "");
    }
    for (const name of [".gitignore", ".playtestignore"]) writeFileSync(join(folder, `${i}`, name), list);
    return { files: files.map((path) => `${i}/${path}`), list };
  });
  // Git looks at a quotation mark in front of a path, so each begins with `./`.
  const input = made.flatMap(({ files }) => files.map((path) => `./${path}\0`)).join("");
  const git = execFileSync("git", ["check-ignore", "--no-index", "-z", "--stdin"], {
    cwd: folder,
    env,
    input,
    maxBuffer: 2 ** 26,
  });
  const ignored = new Set(
    git
      .toString()
      .split("\0")
      .map((path) => path.slice(2)),
  );
  expect(ignored.size).toBeGreaterThan(trees);
  for (const [i, { files, list }] of made.entries()) {
    const { items } = await readTree(join(folder, `${i}`), signal, false);
    const packed = items.flatMap(({ kind, path }) => (kind === "file" && path !== ".gitignore" ? [`${i}/${path}`] : []));
    expect(packed.sort(), list).toEqual(files.filter((path) => !ignored.has(path)).sort());
  }
});
