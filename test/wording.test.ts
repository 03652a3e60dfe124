import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Words that name another thing than what is meant, or a second name for one thing, and what to write instead. Taste is not tested. */
const retired: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // A slot and what happens to it.
  [/\bspots?\b(?! price)|\bplaces? left\b|\bclaim a place\b/i, "slot"],
  [/\bhand(s|ed|ing)? in\b/i, "submit"],
  [/\bask(s|ed|ing)? for a slot\b/i, "claim, or apply"],
  [/\b(gave|giv(e|es|en|ing)) (it |a slot |the slot |slots? )?back\b(?! to)/i, "release"],
  [/\b(time|deadlines?|slots?|claims?|applications?) (ran|runs?) out\b/i, "expire"],
  [/\blaps(e|es|ed|ing)\b(?!-(order|payment)\b)/i, "expire"],
  [/\bpay the players\b/i, "pay the playtesters"],
  // Money.
  [/\b(the|and|their) books\b|\bbooks (and all|balance)\b/i, "ledger"],
  [/\b(price|money|credit|hours|minutes) (comes?|came|coming) back\b|\bwhat comes back\b/i, "is refunded"],
  [/\bkept aside\b/i, "suspense, or unmatched deposits"],
  [/\b(minutes|players|price|payout|cost) a slot\b/i, "… per slot"],
  [/\b(requests|tries) a (minute|key)\b/i, "… per minute, per API key"],
  // Accounts and messages.
  [/\blog(s|ged|ging)? in(to)?\b(?! (json|text|a file)\b)/i, "sign in"],
  [/\blog(s|ged|ging)? out\b/i, "sign out"],
  [/\bnews\b/i, "notifications"],
  [/\btaken out\b/i, "redacted, or removed"],
  // One spelling, so that a search finds all places.
  [/\be-mail/i, "email"],
  [/^(?!canceled$).*\bcancel(ed|ing)\b/i, "cancelled, cancelling"],
  [/\b(colour|behaviour|honour|favour|centre|licence|catalogue)(s|d|ed|able|ite|ites)?\b/i, "the American spelling"],
  // Errors that do not say what is wrong.
  [/\b(is|are) needed\.?$/i, "is required"],
  [/\bexcludes? each other\b/i, "cannot be used together"],
  [/\bno such resource\b|\bor it is not yours\b/i, "Not found, or you do not have access to it."],
  [/\bthere is no (flag|command|field|filter)\b/i, "Unknown flag, command, field or filter"],
  [/\ban address of yours\b/i, "your own HTTPS endpoint"],
  [/\bmade up for\b/i, "the next run retries it"],
];

interface Passage {
  line: number;
  text: string;
}

const literals = [
  String.raw`(?<=[=(,:[!&|?{};]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/`,
  String.raw`(?<text>\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|${"`"}(?:\\[\s\S]|[^\\${"`"}])*${"`"})`,
];

/** Lines of the string literals, templates and comments of a TypeScript source. Regular expressions are skipped. */
function passagesOf(source: string): Passage[] {
  return [...source.matchAll(new RegExp(literals.join("|"), "g"))].flatMap(({ index, groups }) => {
    const first = source.slice(0, index).split("\n").length;
    const lines = (groups!.text ?? "").split("\n");
    return lines.map((text, i) => ({ line: first + i, text: text.replace(/^["'`]|["'`]$/g, "") }));
  });
}

const title = /(?:\b(?:it|test|describe)(?:\.\w+)*|[\])]\))\(\s*(["'`])((?:\\.|(?!\1)[\s\S])*)\1/g;

/** The titles of the tests in a source. */
const titlesOf = (source: string): Passage[] =>
  [...source.matchAll(title)].map(({ index, 2: text }) => ({ line: source.slice(0, index).split("\n").length, text: text! }));

const isComment = ({ text }: Passage) => /^\s*(\/\/|\/?\*)/.test(text);

const linesOf = (text: string): Passage[] => text.split("\n").map((one, i) => ({ line: i + 1, text: one }));

const root = join(import.meta.dirname, "..");
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(root, file)));

function passages(file: string): Passage[] {
  const text = readFileSync(join(root, file), "utf8");
  if (file.endsWith(".md")) return linesOf(text);
  // Strings of tests are also what a server must refuse or a person may write, so only titles and comments are looked at.
  return file.startsWith("test/") ? [...titlesOf(text), ...passagesOf(text).filter(isComment)] : passagesOf(text);
}

const hits = (file: string) =>
  passages(file).flatMap(({ line, text }) =>
    retired.flatMap(([pattern, instead]) => {
      const word = pattern.exec(text)?.[0];
      return word === undefined ? [] : [`${file}:${line}: "${word}": write ${instead}`];
    }),
  );

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: the sources under test contain templates */
describe("retired words", () => {
  it("are looked for in strings, templates and comments, and not in code", () => {
    const source = ["const news = /e-mail[/]`/; // Colour.", 'say("log in");', "f(`the ${spot}", "  news`, 'x');"].join("\n");
    expect(passagesOf(source).filter(({ text }) => text !== "")).toEqual([
      { line: 1, text: "// Colour." },
      { line: 2, text: "log in" },
      { line: 3, text: "the ${spot}" },
      { line: 4, text: "  news" },
      { line: 4, text: "x" },
    ]);
  });

  const scanned = /^(src|bin|server)\/.*\.[jt]s$|^test\/(?!wording\.test).*\.ts$|^[A-Z]+\.md$|^(src|server)\/.*\.md$/;
  it("appear nowhere", () => {
    expect(tracked.filter((file) => scanned.test(file)).flatMap(hits)).toEqual([]);
  });
});
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above */
