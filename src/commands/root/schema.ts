import { arg, define } from "../../cli/define.ts";
import { commandNamed } from "../../cli/globals.ts";
import { operations } from "../../contract/static.ts";
import { nearest } from "../../contract/text/nearest.ts";
import { usage } from "../../errors.ts";

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
    const named = tree.commands.map((command) => ({ name: command.path.join(" "), command }));
    const words = args.command.join(" ");
    const found = commandNamed(named, words);
    if (!found) {
      const near = nearest(
        words,
        named.map(({ name }) => name),
      );
      const hint = near === undefined ? "See `playtest help --tree`." : `Did you mean ${near}?`;
      throw usage(`Unknown command ${JSON.stringify(words)}.`, hint);
    }
    const { body, ...described } = found.command;
    const data = { ...described, body: body === null ? [] : operations[body].body };
    return ctx.verbatim(JSON.stringify(data, null, 2), data);
  },
});
