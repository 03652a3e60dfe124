/**
 * Fills the generated parts of the documentation, `<!-- generated: NAME -->` to `<!-- end -->`, from the code: `npm run docs`. A test
 * fails when a part is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testCards } from "../../server/billing/cards/sandbox-processor.ts";
import { plans } from "../../server/billing/subscriptions/plans.ts";
import { defaults } from "../../server/config/defaults.ts";
import { configurationReference } from "../../server/config/reference.ts";
import { type GlobalFlag, globalFlags } from "../../src/cli/globals.ts";
import { spelled } from "../../src/cli/root-help.ts";
import { eventKinds } from "../../src/contract/events/kinds.ts";
import { eventPayloads } from "../../src/contract/events/payloads.ts";
import { type ProblemCode, problems } from "../../src/contract/problems.ts";
import * as states from "../../src/contract/states/index.ts";
import type { Moves } from "../../src/contract/states/moves.ts";
import { exitCodeMeanings } from "../../src/errors.ts";
import { topicList } from "../../src/help/list.ts";
import { usd } from "../../src/io/text.ts";
import * as meanings from "./meanings.ts";

const root = join(import.meta.dirname, "../..");

/** Every file with generated parts. */
export const documents = ["README.md", ...topicList.map(({ name }) => `src/help/${name}.md`)];

const code = (text: string) => `\`${text}\``;
const row = (cells: readonly (string | number)[]) =>
  `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(row)].join("\n");

function prices(): string {
  const furtherPlayerCents: Record<string, number> = defaults.pricing.furtherPlayerCents;
  const rows = Object.entries(defaults.pricing.baseCents).map(([minutes, cents]) => [
    `${minutes} minutes`,
    usd(cents),
    usd(furtherPlayerCents[minutes]!),
  ]);
  return table(["duration", "one player", "each further player"], rows);
}

const planTable = () =>
  table(
    ["plan", "price", "hours"],
    plans.map(({ key, priceCents, interval, minutesPerCycle }) => [
      code(key),
      `${usd(priceCents)} per ${interval}`,
      minutesPerCycle / 60,
    ]),
  );

const events = () =>
  table(
    ["event", "when", "fields of `data`"],
    eventKinds.map((kind) => [
      code(kind),
      meanings.eventMeanings[kind],
      Object.keys(eventPayloads[kind].shape).map(code).join(", "),
    ]),
  );

const stateTables: Record<string, [Moves<string>, Record<string, string>]> = {
  slot: [states.slotMoves, meanings.slotMeanings],
  playtest: [states.playtestMoves, meanings.playtestMeanings],
  application: [states.applicationMoves, meanings.applicationMeanings],
  payment: [states.paymentMoves, meanings.paymentMeanings],
  subscription: [states.subscriptionMoves, meanings.subscriptionMeanings],
};

/** Each state with what it means and what can follow, such as "`submitted` (submit)". */
function stateTable(entity: string): string {
  const [moves, meaning] = stateTables[entity]!;
  const words = (move: string) => move.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const rows = Object.entries(moves).map(([state, leaving]) => {
    const next = Object.entries(leaving).map(([move, target]) => `${code(target)} (${words(move)})`);
    return [code(state), meaning[state]!, next.join(", ") || "–"];
  });
  return table(["status", "meaning", "what can follow"], rows);
}

const languages: Record<string, string> = { mjs: "js", sh: "sh", yaml: "yaml", csv: "text" };

function example(name: string): string {
  const text = readFileSync(join(root, "test/examples", name), "utf8").trimEnd();
  return `\`\`\`${languages[name.split(".").at(-1)!]}\n${text}\n\`\`\``;
}

const generators: Record<string, (argument: string) => string> = {
  prices,
  plans: planTable,
  events,
  configuration: configurationReference,
  example,
  states: stateTable,
  problems: () =>
    table(
      ["status", "code", "meaning"],
      Object.entries(problems).map(([name, status]) => [status, code(name), meanings.problemMeanings[name as ProblemCode]]),
    ),
  "test-cards": () =>
    table(
      ["card number", "what it does"],
      testCards.map(({ number, does }) => [code(number), does]),
    ),
  flags: () =>
    table(
      ["flag", "meaning"],
      (globalFlags as readonly GlobalFlag[]).map((flag) => [code(spelled(flag).trim()), flag.summary]),
    ),
  "exit-codes": () =>
    table(
      ["code", "meaning", "details"],
      exitCodeMeanings.map(([number, meaning, details]) => [number, meaning, details]),
    ),
};

/** A document with its generated parts filled in. */
export const fill = (text: string): string =>
  text.replace(/<!-- generated: ([\w-]+) ?(\S*) -->\n[\s\S]*?<!-- end -->/g, (_, name: string, argument: string) => {
    const generate = generators[name];
    if (!generate) throw new Error(`Nothing generates ${name}. Known: ${Object.keys(generators).join(", ")}.`);
    return `<!-- generated: ${name}${argument && ` ${argument}`} -->\n\n${generate(argument)}\n\n<!-- end -->`;
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of documents) {
    const path = join(root, name);
    writeFileSync(path, fill(readFileSync(path, "utf8")));
  }
}
