import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { version } from "../../cli/version.ts";
import { defaultBaseUrl } from "../../config/settings.ts";
import { CliError, cannotWrite, exitCodes, usage } from "../../errors.ts";
import { makeFolder } from "../../io/files/folder.ts";
import { shellQuote } from "../../io/text.ts";
import { type Plan, workflows } from "./workflows.ts";

const names = Object.keys(workflows) as (keyof typeof workflows)[];

/** What is written into a script stays one plain word there: nothing a shell, YAML or Groovy would read in another way. */
function plainWord(text: string, label: string): string {
  if (!/^[\w@%+=:,./ -]+$/.test(text) || text.startsWith("-"))
    throw usage(`${label}: ${JSON.stringify(text)} holds characters that a workflow should not.`);
  return shellQuote(text);
}

/** The instance to write down; that of this machine means nothing to a CI. */
function baseUrlOf(ctx: Context): string | undefined {
  const { value } = ctx.settings().get("baseUrl")!;
  return value === defaultBaseUrl ? undefined : plainWord(value, "--base-url");
}

const writeNew = (path: string, text: string, force: boolean) =>
  writeFile(path, text, { flag: force ? "w" : "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw cannotWrite(path, error);
    throw new CliError("EXISTS", exitCodes.conflict, `${path} is there already; it was not changed.`, {
      hint: "See what would be written with --print, or replace it with --force.",
    });
  });

export const init = define({
  name: "init",
  summary: "Write a workflow that pushes builds, orders playtests and checks the results",
  description:
    "A push sends the build and, when it is a new one, orders playtests of it. Every few hours the newest playtest is looked at: too many\n" +
    "rejected videos fail the job. The key is taken from a secret of the CI's, never from the file.",
  args: {
    ci: arg.choice(names),
    game: {
      ...arg.game(),
      optional: true,
      summary: "Game id; default the one `games use` set, else the CI's variable PLAYTEST_GAME",
    },
  },
  flags: {
    build: flag.text("Folder or file to push (default build)", { value: "PATH" }),
    quantity: flag.integer("Slots to order (default 2)", { min: 1, max: 100 }),
    maxCost: flag.money("Most that one order may cost (default 50)"),
    print: flag.toggle("Print it instead of writing it"),
    force: flag.toggle("Replace a file that is there"),
  },
  examples: [
    "playtest ci init github",
    "playtest ci init gitlab GAME --build dist --quantity 3 --max-cost 75",
    "playtest ci init jenkins --print",
  ],
  exits: [6],
  async run({ args, flags }, ctx) {
    const ci = names.find((name) => name === args.ci);
    if (!ci) throw usage(`There is no workflow for ${args.ci}.`, `Known: ${names.join(", ")}.`);
    const plan: Plan = {
      game: args.game === undefined ? '"$PLAYTEST_GAME"' : plainWord(args.game, "game"),
      baseUrl: baseUrlOf(ctx),
      build: plainWord(flags.build ?? "build", "--build"),
      quantity: flags.quantity ?? 2,
      maxCost: ((flags.maxCost ?? 5000) / 100).toFixed(2),
      version,
    };
    const { path, text } = workflows[ci];
    const content = text(plan);
    const result = { ci, path, content, written: !flags.print && !ctx.flags.dryRun };
    if (!result.written) return ctx.text(content, { result });
    const target = join(ctx.io.cwd(), path);
    await makeFolder(dirname(target));
    await writeNew(target, content, flags.force);
    ctx.out.note(
      `Next: give ${ci === "jenkins" ? "Jenkins" : "the CI"} the key, made with \`playtest auth keys create\`, as its comment says.`,
    );
    return ctx.text(`Wrote ${path}.`, { result });
  },
});
