import { arg, type Context, define, flag } from "../../cli/define.ts";
import { fieldFlag } from "../../cli/flags.ts";
import { playtestNamed } from "../../cli/names.ts";
import { operations } from "../../contract/static.ts";
import { likeBody } from "../shared/order-body.ts";

const first = { quantity: 1, durationMinutes: 60, playerCount: 1, visibility: "private", selectionMode: "automatic" };

/** A YAML template with a comment for each field. */
const yaml = (body: Record<string, unknown>) =>
  operations.createPlaytest.body
    .map((field) => {
      const { name, array } = field;
      const { summary, choices } = fieldFlag(field);
      const value = body[name];
      const line = `${name}: ${value === undefined ? (array ? "[]" : "") : JSON.stringify(value)}`.trimEnd();
      return `# ${summary}.${choices ? ` One of ${choices.join(", ")}.` : ""}\n${value === undefined ? "# " : ""}${line}`;
    })
    .join("\n");

const cell = (value: unknown) =>
  value === undefined ? "" : /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);

function csv(body: Record<string, unknown>, game: string | undefined) {
  const columns = operations.createPlaytest.body.map(({ name }) => name);
  const row = columns.map((name) => cell(name === "ref" ? "first" : body[name]));
  return `${["game", ...columns].join(",")}\n${[game ?? "GAME", ...row].join(",")}`;
}

async function bodyOf(ctx: Context, like: string | undefined): Promise<Record<string, unknown>> {
  if (like === undefined) return first;
  return likeBody((await ctx.api().getPlaytest({ params: { id: await playtestNamed(ctx, like) } })).playtest);
}

export const template = define({
  name: "template",
  summary: "Print a template file for `order -f` or `bulk`",
  args: { game: { ...arg.game(), optional: true } },
  flags: {
    as: flag.choice(["yaml", "json", "csv"], "Format: yaml or json for `order -f`, csv for `bulk` (default yaml)"),
    like: flag.text("Copy the settings of this playtest", { value: "ID" }),
  },
  operation: "getPlaytest",
  examples: [
    "playtest playtests template > order.yaml",
    "playtest playtests template --as csv GAME > orders.csv",
    "playtest playtests template --like PLAYTEST --as json",
  ],
  async run({ args, flags }, ctx) {
    const body = await bodyOf(ctx, flags.like);
    const game = args.game as string | undefined;
    if (flags.as === "json") return ctx.verbatim(JSON.stringify(body, null, 2), body);
    return ctx.verbatim(flags.as === "csv" ? csv(body, game) : yaml(body), body);
  },
});
