import { arg, define, flag } from "../../cli/define.ts";
import { find, named, spelledOut } from "../../cli/find.ts";
import { commandsAt, groups, nounCalled } from "../../cli/groups.ts";
import { commandHelp, groupHelp } from "../../cli/help/command.ts";
import { columns, rootHelp, topicsHelp } from "../../cli/help/root.ts";
import { nearest } from "../../contract/text/nearest.ts";
import { notFound } from "../../errors.ts";
import { isTopic, topicList } from "../../help/list.ts";
import { narrowHelp } from "../../help/narrow.ts";
import { showTopic } from "./topic.ts";

const topicNames = topicList.map(({ name }) => name);

async function helpOn(words: readonly string[]): Promise<string | undefined> {
  const [first = ""] = words;
  const found = find(spelledOut(words, groups), await commandsAt(first));
  if (found.rest.length > 0) return undefined;
  if ("command" in found) return commandHelp(await found.command.load(), found.command.name);
  const noun = nounCalled(first)!;
  const below = await Promise.all(found.group.map(({ load }) => load()));
  return groupHelp(noun, below, words.length === 1 ? await noun.load() : undefined);
}

/** The error for words that name neither a command nor a topic. */
async function noHelp(words: string) {
  const { tree } = await import("../../cli/tree.ts");
  const commands = named(tree.commands).map(({ name }) => name);
  const near = nearest(words, [...topicNames, ...groups.map(({ name }) => name), ...commands]);
  const topics = `Topics: ${topicNames.join(", ")}. For commands, see \`playtest --help\`.`;
  return notFound(`No help found for ${JSON.stringify(words)}.`, near === undefined ? topics : `Did you mean ${near}?`);
}

export const help = define({
  name: "help",
  summary: "Show help for a command or topic",
  args: { about: { ...arg.many("Command or topic"), optional: true, choices: ["topics", ...topicNames] } },
  flags: { tree: flag.toggle("List all commands; with --json, also their flags, scope, risk and endpoints") },
  examples: ["playtest help games create", "playtest help exit-codes", "playtest help --tree --json"],
  async run({ args, flags }, ctx) {
    // Lines are wrapped only on a terminal, so that a program gets one line per command.
    const most = ctx.io.terminal.stdout ? ctx.io.columns : Number.POSITIVE_INFINITY;
    if (flags.tree) {
      const { tree } = await import("../../cli/tree.ts");
      const rows = columns(
        tree.commands.map(({ path, summary }) => [`playtest ${path.join(" ")}`, summary] as const),
        most,
      );
      return ctx.verbatim(rows, {
        commands: tree.commands.map(({ body: _, ...shown }) => shown),
        exitCodes: tree.exitCodes,
      });
    }
    const [topic] = args.about;
    if (topic === undefined) return ctx.verbatim(narrowHelp(rootHelp(), most), { topics: topicNames });
    if (topic === "topics" && args.about.length === 1)
      return ctx.verbatim(narrowHelp(topicsHelp(), most), { topics: topicNames });
    const text = await helpOn(args.about);
    if (isTopic(topic) && args.about.length === 1) return showTopic(topic, ctx, text);
    if (text === undefined) throw await noHelp(args.about.join(" "));
    return ctx.verbatim(narrowHelp(text, most), { topic: args.about.join(" "), text });
  },
});
