import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documents, fill } from "../../bin/docs/generate.ts";
import { eventKinds } from "../../src/contract/events/kinds.ts";
import * as states from "../../src/contract/states/index.ts";
import type { Moves } from "../../src/contract/states/moves.ts";
import { type Block, type Inline, plain } from "../../src/help/document.ts";
import { topicList } from "../../src/help/list.ts";
import { parseMarkdown } from "../../src/help/markdown.ts";
import { terminalText } from "../../src/help/terminal.ts";
import { topics } from "../../src/help/topics.ts";
import { painter } from "../../src/io/text.ts";
import { playtest } from "../helpers/cli.ts";

const root = join(import.meta.dirname, "../..");
const names = topicList.map(({ name }) => name);

const inlinesOf = (block: Block): readonly Inline[] => {
  if (block.kind === "code") return [];
  if (block.kind === "list") return block.items.flat();
  return block.kind === "table" ? [...block.head, ...block.rows.flat()].flat() : block.parts;
};
const linksOf = (parts: readonly Inline[]): string[] =>
  parts.flatMap((part) => (part.kind === "link" ? [part.href] : "parts" in part ? linksOf(part.parts) : []));

describe("topics", () => {
  it("each has a file and each file is a topic", () => {
    const files = readdirSync(join(root, "src/help")).filter((file) => file.endsWith(".md"));
    expect(files.sort()).toEqual(names.map((name) => `${name}.md`).sort());
  });

  it.each(names)("%s is plain text that fits 80 columns, its code 96", async (name) => {
    const { code, stdout, stderr } = await playtest(["help", name]);
    expect([code, stderr, stdout.includes("\u001b")]).toEqual([0, "", false]);
    const { title, blocks } = topics[name];
    const codeLines = blocks.flatMap((block) => (block.kind === "code" ? block.text.split("\n") : []));
    expect(codeLines.filter((line) => line.length > 92)).toEqual([]);
    const text = terminalText({ title, blocks: blocks.filter(({ kind }) => kind !== "code") }, 80, painter(false));
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it.each(names)("%s links only to topics", (name) => {
    const files = names.map((one) => `${one}.md`);
    expect(linksOf(topics[name].blocks.flatMap(inlinesOf)).filter((href) => !files.includes(href))).toEqual([]);
  });

  it("are colored and folded at the width of a terminal", async () => {
    const { stdout } = await playtest(["help", "ids"], { tty: true, columns: 60, env: { TERM: "xterm" } });
    expect(stdout).toContain("\u001b[1mIDS\u001b[0m");
    expect(stdout).not.toContain("`");
    const lines = stdout.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g"), "").split("\n");
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
  });

  it("with --json give their title and plain text", async () => {
    const { stdout } = await playtest(["help", "money", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      topic: "money",
      title: "Amounts and safe retries",
      text: expect.stringMatching(/^AMOUNTS/),
    });
  });

  it("with the name of a command end with its help", async () => {
    for (const [name, usage] of [
      ["sandbox", "Usage: playtest sandbox [command]"],
      ["webhooks", "Usage: playtest webhooks [command]"],
      ["bulk", "Usage: playtest bulk <file>"],
    ] as const) {
      const { stdout } = await playtest(["help", name]);
      expect(stdout).toMatch(/^[A-Z]{3}/);
      expect(stdout.slice(1000)).toContain(usage);
    }
    expect((await playtest(["help", "ids"])).stdout).not.toContain("Usage:");
  });

  it("are listed by `help topics`, which --help names", async () => {
    expect((await playtest(["--help"])).stdout).toContain("`playtest help topics`");
    const { stdout } = await playtest(["help", "topics"]);
    const listed = stdout.split(/[\s,]+/);
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });
});

it.each(documents)("%s: its generated parts are up to date (npm run docs)", (file) => {
  const text = readFileSync(join(root, file), "utf8");
  expect(fill(text)).toBe(text);
});

it("the webhooks topic describes every event", () => {
  const text = readFileSync(join(root, "src/help/webhooks.md"), "utf8");
  expect(eventKinds.filter((kind) => !text.includes(`| \`${kind}\` |`))).toEqual([]);
});

describe("the states topic", () => {
  const tables = Object.entries(states).filter(([name]) => name.endsWith("Moves")) as [string, Moves<string>][];
  const shown = topics.states.blocks.flatMap((block) =>
    block.kind === "table" ? [new Map(block.rows.map((row) => row.map(plain) as [string, string]))] : [],
  );
  const words = (move: string) => move.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const whatFollows = (leaving: Record<string, string>) =>
    Object.entries(leaving)
      .map(([move, to]) => `${to} (${words(move)})`)
      .join(", ");

  it.each(tables)("shows every move of %s, as its table and as nothing else", (_, moves) => {
    const expected = Object.fromEntries(Object.entries(moves).map(([state, leaving]) => [state, whatFollows(leaving) || "–"]));
    const found = shown.map((rows) => Object.fromEntries([...rows].filter(([state]) => state !== "(new)")));
    expect(found).toContainEqual(expected);
    expect(shown).toHaveLength(tables.length);
  });

  it("has diagrams that begin where no move leads to, at least", () => {
    for (const rows of shown) {
      const reached = [...rows.values()].flatMap((cell) => cell.split(", ").map((target) => target.split(" (")[0]));
      expect([...rows.keys()].filter((state) => state !== "(new)" && !reached.includes(state))).toEqual([]);
    }
  });
});

describe("the environment topic", () => {
  const described = new Set(
    [...readFileSync(join(root, "src/help/environment.md"), "utf8").matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name!),
  );
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => /^(src|server)\/.*\.ts$/.test(file));
  const text = sources.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
  const read = new Set(
    [
      ...text.matchAll(
        /\benv\??\.([A-Z][A-Z0-9_]+)\b|\b(PLAYTEST_[A-Z0-9_]+)\b|"(CI|GITHUB_[A-Z_]+|DATABASE_URL|HTTPS?_PROXY|NO_PROXY)"/g,
      ),
    ].map((match) => match.slice(1).find(Boolean)!),
  );

  it("names every variable that the code reads", () => {
    // The workflows of `ci init` are written for Jenkins, which sets these.
    const ofJenkins = ["WORKSPACE", "PATH"];
    expect([...read].filter((name) => !described.has(name) && !ofJenkins.includes(name))).toEqual([]);
  });

  it("names no variable that the code does not read", () => {
    // Node.js reads this one by itself.
    const ofNode = ["NODE_EXTRA_CA_CERTS"];
    const unknown = [...described].filter((name) => !new RegExp(`\\b${name}\\b`).test(text) && !ofNode.includes(name));
    expect(unknown).toEqual([]);
  });
});

describe("Markdown", () => {
  it.each([
    ["raw HTML", "# T\n\n<b>x</b>"],
    ["a comment", "# T\n\n<!-- secret -->"],
    ["a heading of the third level", "# T\n\n### x"],
    ["a list within a list", "# T\n\n- a\n  - b"],
    ["an image", "# T\n\n![x](y.png)"],
    ["a text without a title", "Text."],
    ["a diagram other than of states", "# T\n\n```mermaid\nflowchart\n  a --> b\n```"],
    ["a note in a diagram of states", "# T\n\n```mermaid\nstateDiagram-v2\n  note left of a: x\n```"],
  ])("%s is an error", (_, text) => {
    expect(() => parseMarkdown(text)).toThrow();
  });

  it("keeps characters that HTML and roff give a meaning", () => {
    const { blocks } = parseMarkdown("# T\n\nA & B \\*c\\* `<d> & e`\n\n| a |\n|---|\n| `x \\| y` |\n");
    expect(blocks[0]).toEqual({
      kind: "paragraph",
      parts: [
        { kind: "text", text: "A & B " },
        { kind: "text", text: "*" },
        { kind: "text", text: "c" },
        { kind: "text", text: "*" },
        { kind: "text", text: " " },
        { kind: "code", text: "<d> & e" },
      ],
    });
    expect(blocks[1]).toMatchObject({ rows: [[[{ kind: "code", text: "x | y" }]]] });
  });

  it("becomes text: folded paragraphs, aligned tables, untouched code", () => {
    const source = `# Title

One two three four five six, with [a link](ordering.md) and [another](https://example.com).

## Part

- first item that is folded below itself
- second

1. one

| name | meaning |
|---|---|
| \`a\` | a longer explanation of what it means |

\`\`\`sh
left   as   it is, however long the line may be, because it is code
\`\`\`
`;
    expect(`\n${terminalText(parseMarkdown(source), 40, painter(false))}`).toMatchInlineSnapshot(`
      "
      TITLE

        One two three four five six, with a
        link (playtest help ordering) and
        another (https://example.com).

      Part

        - first item that is folded below
          itself
        - second

        1. one

        NAME  MEANING
        \`a\`   a longer explanation of what it
              means

          left   as   it is, however long the line may be, because it is code"
    `);
  });

  it("stacks the cells of a table whose words are wider than the page", () => {
    const source = "# T\n\n| name | default |\n|---|---|\n| a.very.long.name.of.a.setting | another.very.long.word |\n";
    expect(`\n${terminalText(parseMarkdown(source), 40, painter(false))}`).toMatchInlineSnapshot(`
      "
      T

        a.very.long.name.of.a.setting
            default: another.very.long.word"
    `);
  });
});
