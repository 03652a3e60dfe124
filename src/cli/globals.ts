/** The flags every command takes. */

export interface GlobalFlag {
  name: string;
  short?: string;
  /** Placeholder of its value; none: a switch. `[…]` means the value is optional and only given with `=`. */
  value?: string;
  summary: string;
}

export const globalFlags = [
  { name: "profile", short: "P", value: "NAME", summary: "Settings and key to use" },
  { name: "base-url", value: "URL", summary: "The instance to talk to" },
  { name: "api-key-file", value: "FILE", summary: "Read the API key from a file" },
  { name: "json", value: "[=FIELDS]", summary: "Print JSON, or only some fields: --json=id,name" },
  { name: "jq", value: "EXPR", summary: "Filter the JSON with a jq expression" },
  { name: "template", value: "STR", summary: "One line an item: '{id} {createdAt|ago}'; filters ago usd bytes date" },
  { name: "ndjson", summary: "One JSON line an item, as they come" },
  { name: "csv", summary: "Comma-separated values with a header" },
  { name: "tsv", summary: "Tab-separated values with a header" },
  { name: "header", summary: "Add a header to tab-separated output" },
  { name: "raw-cells", summary: "Do not put ' before cells a spreadsheet would run" },
  { name: "output", short: "o", value: "FILE", summary: "Write the result to a file; - is standard output" },
  { name: "quiet", short: "q", summary: "No remarks on standard error" },
  { name: "verbose", short: "v", summary: "One line for every request" },
  { name: "debug", summary: "Requests and replies in full, secrets taken out" },
  { name: "no-input", summary: "Never ask" },
  { name: "yes", short: "y", summary: "Answer yes to every question" },
  { name: "dry-run", summary: "Print what would be sent; send no change" },
  { name: "idempotency-key", value: "KEY", summary: "Repeat a change safely: the same key never takes effect twice" },
  { name: "timeout", value: "TIME", summary: "For one request, as 30s or 2m (default 30s)" },
  { name: "retries", value: "N", summary: "Tries after the first (default 3)" },
  { name: "max-wait", value: "TIME", summary: "Longest wait for a busy server (default 60s)" },
  { name: "color", value: "WHEN", summary: "auto, always or never" },
  { name: "progress", value: "HOW", summary: "auto, plain or none" },
  { name: "time", value: "HOW", summary: "iso, local or relative" },
  { name: "help", short: "h", summary: "Show help" },
] as const satisfies readonly GlobalFlag[];

/** Values of the global flags of one call; those not given are absent. */
export interface GlobalValues {
  profile?: string;
  baseUrl?: string;
  apiKeyFile?: string;
  json?: string;
  jq?: string;
  template?: string;
  ndjson?: boolean;
  csv?: boolean;
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

/** The first words of a command line that are not flags: the noun and the verb. */
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
