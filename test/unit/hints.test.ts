import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { todoCommands } from "../../server/web/pages/todo.ts";
import { globalFlags } from "../../src/cli/globals.ts";
import { type TreeCommand, tree } from "../../src/cli/tree.ts";
import { flagWords } from "../helpers/lines.ts";

/** Commands that errors, messages, pages and mails name: they exist, and so do their flags. */

const root = join(import.meta.dirname, "../..");
const sources = ["src", "server"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    // The label of a derived key, and names of what browsers store, begin with the name of the program.
    .filter((file) => file.endsWith(".ts") && file !== join("lib", "secrets.ts") && !file.startsWith(join("web", "assets")))
    .map((file) => join(folder, file)),
);
const global = new Set(globalFlags.flatMap(({ name, ...rest }) => [`--${name}`, ...("short" in rest ? [`-${rest.short}`] : [])]));
const paths = new Map(tree.commands.map((command) => [command.path.join(" "), command]));

const named = sources.flatMap((file) => {
  const text = readFileSync(join(root, file), "utf8").replaceAll("\\`", "`");
  const found = [...text.matchAll(/(?:`|<code>)playtest ([a-z][^`<\n]*)(?:`|<\/code>)/g)].map(([, words = ""]) => words);
  return found.map((words) => [`${file}: playtest ${words}`, words.replace(/\$\{[^}]*\}/g, "X")] as const);
});

const groupNames = new Set(tree.commands.map(({ path }) => path[0]));

function commandOf(words: readonly string[]): TreeCommand | undefined {
  const counts = [4, 3, 2, 1];
  return counts.flatMap((count) => paths.get(words.slice(0, count).join(" ")) ?? [])[0];
}

const onPages = todoCommands.map((command) => [`page: ${command}`, command.replace(/^playtest /, "")] as const);

it.each([...named, ...onPages])("%s", (_, line) => {
  const words = line.split(/\s+/).filter((word) => word !== "");
  const command = commandOf(words);
  if (command === undefined) return expect(groupNames.has(words[0]!) || words[0] === "X").toBe(true);
  const known = new Set(command.flags.flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]));
  expect(flagWords(words).filter((word) => !known.has(word) && !global.has(word))).toEqual([]);
});

it.each(todoCommands)("a page names a whole command: %s", (line) => {
  expect(commandOf(line.split(" ").slice(1))).toBeDefined();
});
