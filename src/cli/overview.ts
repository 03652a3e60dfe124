import { groups, shortcuts, topCommands } from "./groups.ts";

/** Names and summaries of nouns and lone commands; a build ships its value, so that the overview loads no command. */
export const overview = {
  groups: groups.map(({ name, aliases, summary }) => ({ name, aliases, summary })),
  tops: topCommands.map(({ name, summary }) => ({ name, summary })),
  shortcuts: shortcuts.map(({ name, summary }) => ({ name, summary })),
};
