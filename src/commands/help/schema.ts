import { arg, define } from "../../cli/define.ts";
import { find, named, spelledOut } from "../../cli/find.ts";
import { overview } from "../../cli/help/overview.ts";
import { operations } from "../../contract/static.ts";
import { nearest } from "../../contract/text/nearest.ts";
import { usage } from "../../errors.ts";

function noSuch(words: string, names: readonly string[]) {
  const near = nearest(words, names);
  const hint = near === undefined ? "See `playtest help --tree`." : `Did you mean ${near}?`;
  return usage(`Unknown command ${JSON.stringify(words)}.`, hint);
}

export const schema = define({
  name: "schema",
  summary: "Describe a command's input as JSON",
  description:
    "Prints the arguments, flags, scope and risk of a command, and the fields of the request body it sends. Without a command, " +
    "describes all commands.",
  args: { command: { ...arg.many("Command, such as games create (default: all commands)"), optional: true } },
  examples: ["playtest schema games create", "playtest schema games create --jq '.body[].name'"],
  async run({ args }, ctx) {
    const { tree } = await import("../../cli/tree.ts");
    if (args.command.length === 0) return ctx.verbatim(JSON.stringify(tree, null, 2), tree);
    const commands = named(tree.commands);
    const found = find(spelledOut(args.command, overview.groups), commands);
    if (!("command" in found) || found.rest.length > 0)
      throw noSuch(
        args.command.join(" "),
        commands.map(({ name }) => name),
      );
    const { body, ...described } = found.command.described;
    const data = { ...described, body: body === null ? [] : operations[body].body };
    return ctx.verbatim(JSON.stringify(data, null, 2), data);
  },
});
