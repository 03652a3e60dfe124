import type { Context } from "../../cli/context.ts";
import type { TopicName } from "../../help/list.ts";
import { narrowHelp } from "../../help/narrow.ts";
import { painter } from "../../io/text.ts";

/** Lines longer than this are hard to read, however wide the terminal is. */
const widest = 100;
/** Columns where there is no terminal. */
const usual = 80;

/** A help topic, then the help of the command of the same name, if there is one. With --json: its title and plain text. */
export async function showTopic(name: TopicName, { io, out, text: result }: Context, commandHelp: string | undefined) {
  const [{ topics }, { terminalText }] = await Promise.all([import("../../help/topics.ts"), import("../../help/terminal.ts")]);
  const after = (width: number) => (commandHelp === undefined ? "" : `\n${narrowHelp(commandHelp, width)}`);
  const render = (width: number, paint = painter(false)) => `${terminalText(topics[name], width, paint)}\n${after(width)}`;
  if (out.format.kind !== "auto") return result("", { topic: name, title: topics[name].title, text: render(usual) });
  await out.raw(render(io.terminal.stdout ? Math.min(io.columns, widest) : usual, out.paint));
}
