import type { Mutant } from "../mutant.ts";

const buckets = "server/http/limits/rate-limit.ts";
const exchange = "server/http/limits/exchange.ts";
const rows = "server/http/limits/store.ts";

/** Those that unit tests of buckets notice. */
const ofBuckets = ([rule, from, to]: readonly [string, string, string]): Mutant => ({
  rule,
  test: "unit/rate-limit",
  edits: [[buckets, from, to]],
});

export const limitsRules: readonly Mutant[] = [
  ...(
    [
      ["a bucket gains tokens with time", "Math.max(0, at - bucket.at) * perMs", "0"],
      ["a bucket gains each token once", "    bucket.at = at;\n", ""],
      ["a bucket loses nothing to a clock that is set back", "Math.max(0, at - bucket.at)", "(at - bucket.at)"],
      ["a bucket holds no more than a burst", "bucket.tokens = Math.min(bucket.burst, tokens)", "bucket.tokens = tokens"],
      ["a request needs a whole token", "bucket.tokens >= 1", "bucket.tokens > 0"],
      ["a request that is refused costs nothing", "      if (allowed) {\n", "      {\n"],
      [
        "a caller without tokens is told of none",
        "remaining: Math.max(0, Math.floor(bucket.tokens))",
        "remaining: Math.floor(bucket.tokens)",
      ],
      ["memory has so many buckets at most", "if (buckets.size >= most)", "if (buckets.size < 0)"],
      ["the oldest bucket makes way", "buckets.keys().next().value!", "[...buckets.keys()].at(-1)!"],
      [
        "of a caller who is forgotten nothing is told",
        "    buckets.delete(caller);\n    waiting.delete(caller);",
        "    buckets.delete(caller);",
      ],
      [
        "other processes are told of callers with many requests only",
        "bucket.untold >= bucket.burst * toldPart",
        "bucket.untold >= 1",
      ],
      ["nothing waits to be told where there is no other process", "if (shared && ", "if ("],
      ["what was told is not told again", "bucket.untold -= told", "bucket.untold -= 0"],
      ["requests during an exchange are told by the next", "bucket.untold -= told", "bucket.untold = 0"],
      ["requests to others cost tokens", "Math.max(0, others - bucket.spilled)", "0"],
      ["what the others counted before the first exchange costs nothing", "?? counted - told)", "?? 0)"],
      ["what the others counted costs once", "      bucket.counted = counted;\n", "      bucket.counted ??= counted;\n"],
      ["a caller's own requests cost once", "const others = counted - told -", "const others = counted -"],
      ["a count that begins again gives no tokens", "Math.max(0, others - bucket.spilled)", "(others - bucket.spilled)"],
      ["requests to others use what did not fit first", "others - bucket.spilled", "others"],
      ["what did not fit is used once", "      bucket.spilled = 0;\n", ""],
      ["nobody waits for more than a burst because of others", "Math.max(-bucket.burst, ", "Math.max(-Infinity, "],
    ] as const
  ).map(ofBuckets),
  {
    rule: "the API and the pages count together",
    test: "api/http",
    only: "sqlite.*(counts pages together)",
    edits: [[buckets, "  limiters.set(deps, known);\n", ""]],
  },
  {
    rule: "several processes limit a caller together",
    test: "faults/two-processes",
    only: "(count together)",
    edits: [[buckets, "deps.store.shared)", "false)"]],
  },
  {
    rule: "the database counts what it is told of",
    test: "faults/two-processes",
    only: "(count together)",
    edits: [[rows, "counted = request_counts.counted + excluded.counted", "counted = excluded.counted"]],
  },
  {
    rule: "the count of a caller with requests is kept",
    test: "api/retention",
    edits: [[rows, ", counted_at = excluded.counted_at", ""]],
  },
  {
    rule: "the database knows a caller by a keyed hash",
    test: "faults/two-processes",
    only: "(count together)",
    edits: [[exchange, 'deps.secrets.mac("rate limits", caller)', "caller"]],
  },
  {
    rule: "the rows of callers are locked in one order",
    test: "faults/two-processes",
    only: "(are counted in one order)",
    edits: [[exchange, "  told.sort((a, b) => (a.hash < b.hash ? -1 : 1));\n", ""]],
  },
  {
    rule: "an exchange is of so many callers at most",
    test: "faults/two-processes",
    only: "(are counted in one order)",
    edits: [[exchange, ".slice(0, most)", ""]],
  },
  ...(
    [
      ["an exchange of nothing asks nothing of the database", "  if (counts.length === 0) return;\n", ""],
      ["one process exchanges nothing", "!deps.store.shared || ", ""],
      ["without limits nothing is exchanged", " || !deps.config.limits.enabled", ""],
      ["one exchange at a time", "if (!underway) void", "void"],
      [
        "an exchange that failed is followed by another",
        "    } finally {\n      underway = false;\n",
        "      underway = false;\n    } finally {\n",
      ],
      ["an outage is reported once", "if (!failed) deps.log", "deps.log"],
      ["the next outage is reported again", "      failed = false;\n", ""],
      ["exchanges end with the server", "() => clearInterval(timer)", "() => {}"],
    ] as const
  ).map(([rule, from, to]): Mutant => ({ rule, test: "unit/limit-exchange", edits: [[exchange, from, to]] })),
];
