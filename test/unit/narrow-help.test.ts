import { expect, it } from "vitest";
import { commandHelp } from "../../src/cli/help/command.ts";
import { rootHelp, topicsHelp } from "../../src/cli/help/root.ts";
import { order } from "../../src/commands/playtests/order.ts";
import { narrowHelp } from "../../src/help/narrow.ts";

/** Help on terminals of fewer than 80 columns. */

const text = `Upload a build, or set the URL of one

Packs a directory into a zip file, with its links, executable bits and times,
and without the files that .playtestignore lists.

Usage: playtest games push <source> [game] [flags]
Aliases: put

Arguments
  source                      Directory, file or URL

Flags
      --preview               Show which files would be added, changed and
                              removed, without sending anything
      --version-from git|file
                              Take the version from git

Examples
  playtest games push dist --if-changed --version-from git \\
      --order playtest.yaml --yes

For game owners       games, playtests, applications, review, billing, info
General               auth, chat
                      open
`;

it("puts meanings below their terms and wraps paragraphs between words; examples stay as they are", () => {
  expect(narrowHelp(text, 40)).toBe(`Upload a build, or set the URL of one

Packs a directory into a zip file, with
its links, executable bits and times,
and without the files that
.playtestignore lists.

Usage: playtest games push <source>
[game] [flags]
Aliases: put

Arguments
  source
      Directory, file or URL

Flags
  --preview
      Show which files would be added,
      changed and removed, without
      sending anything
  --version-from git|file
      Take the version from git

Examples
  playtest games push dist --if-changed --version-from git \\
      --order playtest.yaml --yes

For game owners
    games, playtests, applications,
    review, billing, info
General
    auth, chat open
`);
});

it("leaves a text for a terminal of 80 columns or more as it is", () => {
  expect([narrowHelp(text, 80), narrowHelp(text, 200)]).toEqual([text, text]);
});

it.each([
  ["the help of the program", rootHelp()],
  ["the list of topics", topicsHelp()],
  ["the help of a command", commandHelp(order, "order")],
])("keeps every word of %s, within 40 columns outside of examples", (_, help) => {
  const narrow = narrowHelp(help, 40);
  const words = (one: string) => one.split(/\s+/);
  expect(words(narrow)).toEqual(words(help));
  const long = narrow.split("\n").filter((line) => line.length > 40 && !/^ +(playtest|--)|\S{25,}|`/.test(line));
  expect(long).toEqual([]);
});
