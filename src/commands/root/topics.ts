import { fold, globalFlagRows, whole } from "../../cli/root-help.ts";
import { exitCodeMeanings } from "../../errors.ts";

const environment: readonly (readonly [string, string])[] = [
  ["PLAYTEST_API_KEY", "API key; not sent to a base URL that only .playtest.json names"],
  ["PLAYTEST_BASE_URL", "Address of the instance, with or without /api/v1"],
  ["PLAYTEST_PROFILE", "Profile to use"],
  ["PLAYTEST_CONFIG_DIR", "Folder of settings and keys"],
  ["PLAYTEST_NO_INPUT", "Never ask"],
  ["PLAYTEST_TIMEOUT", "For one request, as 30s"],
  ["PLAYTEST_DEBUG", "As --debug"],
  ["NO_COLOR, FORCE_COLOR", "Colour never, or always"],
  ["CI", "Never ask, no moving progress"],
  ["HTTPS_PROXY, HTTP_PROXY", "Proxy to use; NO_PROXY lists what to reach directly"],
  ["NODE_EXTRA_CA_CERTS", "Certificates of a private authority"],
];

/** Two columns, the second folded beside the first. */
export function columns(rows: readonly (readonly [string, string])[], most = whole): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, what]) => name.padEnd(width) + fold(what, most - width).join(`\n${" ".repeat(width)}`)).join("\n");
}

/** Each line as a paragraph of its own. */
const prose = (text: string) =>
  text
    .split("\n")
    .flatMap((line) => fold(line))
    .join("\n");

const exitCodes = () =>
  columns(exitCodeMeanings.map(([code, meaning, also]) => [`${String(code).padStart(3)}  ${meaning}`, also] as const));

const output = `On a terminal: an aligned table, relative times, cut to the width. Elsewhere: tab-separated, no header, ISO times, nothing cut.
--json prints the server's data, --json=a,b only those fields; lists add page {cursor, hasMore, fetched}.
--jq EXPR filters that JSON; strings come out raw.
--ndjson prints one line an item. --csv and --tsv have a header.
--template '{id} {createdAt|ago}' prints one line an item; filters: ago, usd, bytes, date.
With --json an error is one object on standard error: code, message, details, httpStatus, requestId, exitCode, hint, retryable, retryCommand.
Money is $20.00 in text and integer cents in JSON.
-o FILE writes to a file that appears only when it is whole.`;

const ids = `An id is given in full or by its last 8 characters, as tables show it. A short id is looked up among what was listed on \
this machine lately: ambiguous is exit 2, unknown is exit 3.
A game left out is the one \`playtest games use\` set for this folder. On a terminal, any other id left out is asked for.`;

const money = `Amounts are given as 20, 20.00 or 2000c. What spends shows price and balance and asks; without a terminal pass --yes, or \
--max-cost to bound it.
Every change carries an idempotency key: a lost reply is asked for again with the same key, and if the outcome stays unknown the \
exit code is 12 and the error has the command that repeats it safely.`;

export const topics: Record<string, () => string> = {
  "exit-codes": exitCodes,
  environment: () => columns(environment),
  flags: () => globalFlagRows().join("\n"),
  output: () => prose(output),
  ids: () => prose(ids),
  money: () => prose(money),
};
