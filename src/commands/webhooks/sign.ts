import { arg, define, flag } from "../../cli/define.ts";
import { failure, usage } from "../../errors.ts";
import { readBody, readFrom, readSecret, secretFlag } from "./secret.ts";
import { sign as signatures, verify as verdictsOn } from "./signature.ts";
import { checkView } from "./view.ts";

const sign = define({
  name: "sign",
  summary: "Print the signature headers for a request body",
  risk: "local",
  args: { body: arg.text("File with the request body; - for standard input") },
  flags: {
    secretFile: secretFlag,
    id: flag.text("Event id (default msg_test)", { value: "ID" }),
    timestamp: flag.integer("Time in seconds since the Unix epoch (default: now)", { min: 0 }),
  },
  examples: [
    "playtest webhooks sign body.json --secret-file secret.txt",
    "PLAYTEST_WEBHOOK_SECRET=… playtest webhooks sign - < body.json",
  ],
  async run({ args, flags }, ctx) {
    const secret = await readSecret(ctx, flags.secretFile);
    const body = await readBody(ctx, args.body);
    const timestamp = flags.timestamp ?? Math.floor(ctx.now() / 1000);
    const headers = signatures({ id: flags.id ?? "msg_test", timestamp, body, secret });
    const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return ctx.verbatim(text.join("\n"), { result: headers });
  },
});

const headerLine = (line: string): [string, string] => {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line.trim()) ?? [];
  if (name === undefined) throw usage(`--with-header: ${JSON.stringify(line)} must have the form 'Name: value'.`);
  return [name.toLowerCase(), value ?? ""];
};

/** The header lines of a captured request. The request line, the body and empty lines are ignored. */
const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => /^[A-Za-z0-9-]+:/.test(line));

const verify = define({
  name: "verify",
  summary: "Verify the signatures of a request that you received",
  risk: "local",
  args: { body: arg.text("File with the exact request body; - for standard input") },
  flags: {
    secretFile: secretFlag,
    withHeader: flag.list("Header of the request, 'Name: value'", { short: "H", value: "HEADER" }),
    headersFile: flag.text("File with the request headers", { value: "FILE" }),
    tolerance: flag.duration("Maximum age of the timestamp (default 5m)", { max: Number.POSITIVE_INFINITY }),
  },
  examples: [
    "playtest webhooks verify body.json --headers-file headers.txt --secret-file secret.txt",
    "playtest webhooks verify body.json -H 'X-WPG-Signature: 5d1c…' -H 'X-WPG-Timestamp: 1767225600' --tolerance 7d",
  ],
  async run({ args, flags }, ctx) {
    const secret = await readSecret(ctx, flags.secretFile);
    const fromFile = flags.headersFile === undefined ? [] : linesOf(await readFrom(ctx, flags.headersFile, "--headers-file"));
    const headers = Object.fromEntries([...fromFile, ...flags.withHeader].map(headerLine));
    const body = await readBody(ctx, args.body);
    const now = Math.floor(ctx.now() / 1000);
    const verdicts = verdictsOn({ headers, body, secret, now, tolerance: flags.tolerance ?? 300 });
    const failed = verdicts.filter(({ ok }) => !ok).map(({ name }) => name);
    const outcome = ctx.rows("checks", verdicts, checkView);
    if (failed.length === 0) return outcome;
    return { ...outcome, failure: failure(`Verification failed: ${failed.join(", ")}.`) };
  },
});

export const signCommands = [sign, verify];
