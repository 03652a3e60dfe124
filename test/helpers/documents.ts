import { readFileSync } from "node:fs";
import { join } from "node:path";
import { topicList } from "../../src/help/list.ts";

const root = join(import.meta.dirname, "../..");

/** A block of shell commands in a document. */
export interface CommandBlock {
  document: string;
  /** The heading above it. */
  heading: string;
  /** Commands, those of several lines joined. */
  commands: string[];
}

/** Documents whose commands the suite runs, by name. */
export const documents: ReadonlyMap<string, string> = new Map([
  ["README", readFileSync(join(root, "README.md"), "utf8")],
  ...topicList.map(({ name }) => [name, readFileSync(join(root, `src/help/${name}.md`), "utf8")] as const),
]);

/** The text without its generated parts: examples in them are files, which have tests of their own. */
const written = (text: string) => text.replace(/<!-- generated: [\s\S]*?<!-- end -->/g, "");

function blocksOf(document: string, text: string): CommandBlock[] {
  const blocks: CommandBlock[] = [];
  let heading = "";
  for (const [, title, block] of written(text).matchAll(/^#+ (.+)$|^```sh\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title;
    else if (block !== undefined) {
      const commands = block
        .replace(/(\\|\|)\n\s+/g, (_, end) => (end === "|" ? "| " : ""))
        .trim()
        .split("\n");
      blocks.push({ document, heading, commands });
    }
  }
  return blocks;
}

/** Every block of shell commands, in the order of the documents. */
export const commandBlocks: readonly CommandBlock[] = [...documents].flatMap(([name, text]) => blocksOf(name, text));
