import type { Context } from "../../cli/context.ts";
import { groups, shortcuts } from "../../cli/groups.ts";
import type { TopicName } from "../../help/list.ts";
import { painter } from "../../io/text.ts";

/** Lines longer than this are hard to read, however wide the terminal is. */
const widest = 100;
/** Columns where there is no terminal. */
const usual = 80;

/** Where a topic has the name of a command, its own help is one step away. */
const seeAlso = (name: string) =>
  [...groups, ...shortcuts].some((entry) => entry.name === name) ? `\n\nFlags and examples: playtest ${name} --help` : "";

/** A help topic: as text for a person, or with --json as its title and plain text. */
export async function showTopic(name: TopicName, { io, out, text: result }: Context) {
  const [{ topics }, { terminalText }] = await Promise.all([import("../../help/topics.ts"), import("../../help/terminal.ts")]);
  const render = (width: number, paint = painter(false)) => `${terminalText(topics[name], width, paint)}${seeAlso(name)}\n`;
  if (out.format.kind !== "auto") return result("", { topic: name, title: topics[name].title, text: render(usual) });
  await out.raw(render(io.terminal.stdout ? Math.min(io.columns, widest) : usual, out.paint));
}
