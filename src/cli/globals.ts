/** Flags that every command accepts. */

export interface GlobalFlag {
  name: string;
  short?: string;
  /** Placeholder for the value. Absent: the flag takes no value. `[…]`: the value is optional and must follow `=`. */
  value?: string;
  summary: string;
  /** Shown in the top-level help. */
  common?: boolean;
}

export const globalFlags = [
  { name: "profile", short: "P", value: "NAME", summary: "Use the settings and API key of this profile", common: true },
  { name: "base-url", value: "URL", summary: "Address of the instance to use" },
  { name: "api-key-file", value: "FILE", summary: "Read the API key from a file; - reads standard input" },
  { name: "insecure", summary: "Send the API key without encryption to another machine" },
  { name: "json", value: "[=FIELDS]", summary: "Print JSON; to select fields: --json=id,name", common: true },
  { name: "jq", value: "EXPR", summary: "Filter the JSON output with a jq expression" },
  {
    name: "template",
    value: "STRING",
    summary: "Format each item with a template, such as '{id} {createdAt|ago}'; filters: ago, usd, bytes, date",
  },
  { name: "ndjson", summary: "Stream newline-delimited JSON" },
  {
    name: "csv",
    value: "[=excel]",
    summary: "Print comma-separated values with a header; --csv=excel marks them as UTF-8 for Excel",
    common: true,
  },
  { name: "tsv", summary: "Print tab-separated values with a header" },
  { name: "header", summary: "Add a header to tab-separated output" },
  { name: "raw-cells", summary: "Do not escape CSV and TSV cells that a spreadsheet would run as formulas" },
  { name: "output", short: "o", value: "FILE", summary: "Write the output to a file; - for standard output", common: true },
  { name: "quiet", short: "q", summary: "Suppress informational messages", common: true },
  { name: "verbose", short: "v", summary: "Log one line per request" },
  { name: "debug", summary: "Log full requests and responses, secrets redacted" },
  { name: "no-input", summary: "Disable all prompts" },
  { name: "yes", short: "y", summary: "Skip confirmation prompts", common: true },
  { name: "dry-run", summary: "Show what would be sent without sending it", common: true },
  { name: "idempotency-key", value: "KEY", summary: "Key that makes a change safe to retry: it never takes effect twice" },
  { name: "timeout", value: "TIME", summary: "Timeout per request, such as 30s or 2m (default 30s)" },
  {
    name: "retries",
    value: "N",
    summary: "Retries, beside those that the server asks for; 0: none at all (default 3)",
  },
  { name: "max-wait", value: "TIME", summary: "Maximum time that the retries of a request wait (default 60s)" },
  { name: "color", value: "WHEN", summary: "Use color: auto, always or never" },
  { name: "progress", value: "MODE", summary: "Show progress: auto, plain or none" },
  { name: "time", value: "FORMAT", summary: "Time format: iso, local or relative" },
  { name: "help", short: "h", summary: "Show help", common: true },
] as const satisfies readonly GlobalFlag[];

/** Values of the global flags of one call. Flags that were not given are absent. */
export interface GlobalValues {
  profile?: string;
  baseUrl?: string;
  apiKeyFile?: string;
  /** What standard input held, for `--api-key-file -`. */
  apiKeyText?: string;
  insecure?: boolean;
  json?: string;
  jq?: string;
  template?: string;
  ndjson?: boolean;
  csv?: string;
  tsv?: boolean;
  header?: boolean;
  rawCells?: boolean;
  output?: string;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  input?: boolean;
  yes?: boolean;
  dryRun?: boolean;
  idempotencyKey?: string;
  timeout?: string;
  retries?: string;
  maxWait?: string;
  color?: string;
  progress?: string;
  time?: string;
  help?: boolean;
}

const withValue = new Set<string>(
  (globalFlags as readonly GlobalFlag[])
    .filter(({ value }) => value && !value.startsWith("["))
    .flatMap(({ name, short }) => (short ? [`--${name}`, `-${short}`] : [`--${name}`])),
);

/** The first `count` words of a command line that are not flags, such as the noun and the verb. */
export function leadingWords(argv: readonly string[], count: number): string[] {
  const words: string[] = [];
  for (let i = 0; i < argv.length && words.length < count; i++) {
    const token = argv[i]!;
    if (token === "--") break;
    if (!token.startsWith("-") || token === "-") words.push(token);
    else if (withValue.has(token)) i++;
  }
  return words;
}

/** The hint for a word that was meant as the value of `--json`, which takes it only behind `=`. */
export const selectFields = (word: string) => `To select fields of the output, write --json=${word}.`;
