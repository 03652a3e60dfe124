import { groups, shortcuts, topCommands } from "../groups.ts";

export { sections } from "../groups.ts";

/** Names and summaries of all nouns and top-level commands. A build ships the value, so that the overview loads no command. */
export const overview = {
  groups: groups.map(({ name, section, aliases, summary }) => ({ name, section, aliases, summary })),
  tops: topCommands.map(({ name, section, summary }) => ({ name, section, summary })),
  shortcuts: shortcuts.map(({ name, summary }) => ({ name, summary })),
};
