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
import { spelled } from "../../src/cli/help/root.ts";
import { type ErrorCode, errorStatuses } from "../../src/contract/errors.ts";
import { eventKinds } from "../../src/contract/events/kinds.ts";
import { eventPayloads } from "../../src/contract/events/payloads.ts";
import { exitCodeMeanings } from "../../src/errors.ts";
import { topicList } from "../../src/help/list.ts";
import { usd } from "../../src/io/text.ts";
import { code, table } from "./markdown.ts";
import * as meanings from "./meanings.ts";
import { stateDiagram, stateTable } from "./states.ts";
import { toolTable } from "./tools.ts";

const root = join(import.meta.dirname, "../..");

/** Every file with generated parts. */
export const documents = ["README.md", ...topicList.map(({ name }) => `src/help/${name}.md`)];

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
  "state-diagram": stateDiagram,
  problems: () =>
    table(
      ["status", "code", "meaning"],
      Object.entries(errorStatuses).map(([name, status]) => [status, code(name), meanings.problemMeanings[name as ErrorCode]]),
    ),
  "test-cards": () =>
    table(
      ["card number", "what it does"],
      testCards.map(({ number, does }) => [code(number), does]),
    ),
  "mcp-tools": toolTable,
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
