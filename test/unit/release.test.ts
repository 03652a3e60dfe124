import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { release } from "../../bin/release.ts";
import { freshFolder } from "../helpers/store.ts";

const changes =
  "# Changelog\n\nWhat is what.\n\n## Unreleased\n\n### Ordering\n\n- Orders may wait.\n\n## 0.9.0 (2026-01-02)\n\n- Before.\n";

interface State {
  changelog?: string;
  /** What the program's build prints and exits with. */
  prepack?: string;
  uncommitted?: boolean;
}

/** A repository with the tag v0.9.0, and what a release leaves of it. */
function repository({ changelog = changes, prepack = "true", uncommitted = false }: State = {}) {
  const cwd = freshFolder();
  const git = (...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
  const file = (name: string) => readFileSync(join(cwd, name), "utf8");
  const manifest = { name: "program", version: "0.9.0", files: ["CHANGELOG.md"], scripts: { prepack } };
  const lock = { name: "program", version: "0.9.0", lockfileVersion: 3, packages: { "": { name: "program", version: "0.9.0" } } };
  writeFileSync(join(cwd, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(cwd, "package-lock.json"), JSON.stringify(lock));
  writeFileSync(join(cwd, "CHANGELOG.md"), changelog);
  writeFileSync(join(cwd, ".gitignore"), ".tmp/\n.npm/\n");
  git("init", "--quiet");
  const config = { "user.name": "Ann", "user.email": "ann@example.com", "commit.gpgSign": "false", "tag.gpgSign": "false" };
  for (const [name, value] of Object.entries(config)) git("config", name, value);
  git("add", ".");
  git("commit", "--quiet", "--message", "Begin");
  git("tag", "v0.9.0");
  if (uncommitted) writeFileSync(join(cwd, "notes.txt"), "");
  return { cwd, file, git, has: (name: string) => existsSync(join(cwd, name)) };
}

it("a release is a commit with its tag, a dated heading, a tarball and notes", () => {
  const { cwd, file, git, has } = repository();
  expect(release(cwd, "0.10.0")).toBe(
    "Released 0.10.0: the tag v0.10.0, .tmp/release/program-0.10.0.tgz and its notes, .tmp/release/notes-0.10.0.md.\n" +
      "To publish it: git push --follow-tags && npm publish .tmp/release/program-0.10.0.tgz\n",
  );
  const dated = file("CHANGELOG.md").replace(/\d{4}-\d\d-\d\d/, "DATE");
  expect(dated).toBe(changes.replace("## Unreleased\n", "## Unreleased\n\n## 0.10.0 (DATE)\n"));
  const notes = "### Ordering\n\n- Orders may wait.";
  expect(file(".tmp/release/notes-0.10.0.md")).toBe(`${notes}\n`);
  expect(git("tag", "--list", "--format=%(contents)", "v0.10.0")).toBe(notes);
  expect(git("log", "-1", "--format=%s %D")).toMatch(/^Release 0\.10\.0 HEAD -> \w+, tag: v0\.10\.0$/);
  expect(git("status", "--porcelain")).toBe("");
  expect(has(".tmp/release/program-0.10.0.tgz")).toBe(true);
  for (const name of ["package.json", "package-lock.json"]) expect(JSON.parse(file(name)).version).toBe("0.10.0");
  // There is nothing to release any more.
  expect(() => release(cwd, "0.11.0")).toThrow(
    'CHANGELOG.md has nothing under "Unreleased". Nothing was released. Say there what users can notice.',
  );
});

it.each<[what: string, state: State, version: string | undefined, message: string]>([
  ["with changes that are not committed", { uncommitted: true }, "1.0.0", "not committed:\n\\?\\? notes.txt\n"],
  ["without a version", {}, undefined, "No version is not a version"],
  ["of what is not a version", {}, "v1", "v1 is not a version"],
  ["of a version that was released", {}, "0.9.0", "Version 0.9.0 is not higher than 0.9.0"],
  ["of a lower version", {}, "0.8.10", "Version 0.8.10 is not higher than 0.9.0"],
  ["without changes", { changelog: "# Changelog\n\n## Unreleased\n\n## 0.9.0 (2026-01-02)\n\n- Before.\n" }, "1.0.0", "nothing"],
  ["without the heading", { changelog: "# Changelog\n" }, "1.0.0", "nothing under"],
  ["of a program that does not build", { prepack: "false" }, "1.0.0", "could not be packed"],
])("refuses a release %s", (_, state, version, message) => {
  const { cwd, git, has } = repository(state);
  const before = git("status", "--porcelain");
  const attempt = () => release(cwd, version);
  expect(attempt).toThrow(new RegExp(`${message}[^]*Nothing was released\\.`));
  expect([git("tag"), git("log", "--format=%s"), git("status", "--porcelain")]).toEqual(["v0.9.0", "Begin", before]);
  expect(has(".tmp/release/program-1.0.0.tgz")).toBe(false);
});
