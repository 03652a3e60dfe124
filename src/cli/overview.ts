import { groups, shortcuts, topCommands } from "./groups.ts";

/** Names and summaries of all nouns and top-level commands. A build ships the value, so that the overview loads no command. */
export const overview = {
  groups: groups.map(({ name, aliases, summary }) => ({ name, aliases, summary })),
  tops: topCommands.map(({ name, summary }) => ({ name, summary })),
  shortcuts: shortcuts.map(({ name, summary }) => ({ name, summary })),
};
