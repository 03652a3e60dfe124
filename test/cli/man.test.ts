import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { manPages, roff } from "../../bin/man.ts";
import { shortcuts } from "../../src/cli/groups.ts";
import { tree } from "../../src/cli/tree.ts";

const pages = await manPages();

it("every command has its section in a page, with all its flags and examples", () => {
  const short = new Set(shortcuts.map(({ name }) => name));
  for (const { path, flags } of tree.commands) {
    const [noun = ""] = path;
    if (path.length === 1 && short.has(noun)) continue;
    const page = pages.get(path.length === 1 ? "playtest.1" : `playtest-${noun}.1`);
    const [, section = ""] =
      page?.split(new RegExp(`^\\.SS playtest ${roff(path.join(" ")).replaceAll("\\", "\\\\")}(?= [<[]|$)`, "m")) ?? [];
    const body = section.split(/^\.S[SH] /m)[0]!;
    expect(body, path.join(" ")).toContain("Exit codes: 0 ok");
    expect(body).toContain(".EX\n");
    for (const { name } of flags) expect(body).toContain(roff(`--${name}`));
  }
});

it("the package names every page", () => {
  const { man } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect(man).toEqual([...pages.keys()].map((name) => `dist/man/${name}`));
});

it("a page holds plain ASCII and no instruction but ours", () => {
  const ours = /^\.(TH|SH|SS|B|TP|PP|IP|EX|EE|RS|RE|br)( |$)/;
  for (const [name, page] of pages)
    for (const line of page.trimEnd().split("\n")) {
      expect(line, name).toMatch(/^[\x20-\x7e]+$/);
      if (/^[.']/.test(line)) expect(line).toMatch(ours);
      expect(line.replace(/\\(-|&|f[BR]|\(\w\w|\[u[0-9A-F]{4,6}\])/g, "")).not.toContain("\\");
    }
});

it.each([
  [".so /etc/passwd", "\\&.so /etc/passwd"],
  ["a\n.b", "a\n\\&.b"],
  ["'x", "\\(aqx"],
  ["a\\fBb", "a\\(rsfBb"],
  ["--all …", "\\-\\-all \\[u2026]"],
])("%j is text", (text, shown) => {
  expect(roff(text)).toBe(shown);
});
