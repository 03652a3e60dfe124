import { arg, define, flag } from "../../cli/define.ts";
import { failure, usage } from "../../errors.ts";
import { readFrom, readSecret, secretFlag } from "./secret.ts";
import { sign as signatures, verify as verdictsOn } from "./signature.ts";
import { checkView } from "./view.ts";

export const sign = define({
  name: "sign",
  summary: "Print the headers that sign a body, as the server would send it",
  risk: "local",
  args: { body: arg.text("File with the body; - is standard input") },
  flags: {
    secretFile: secretFlag,
    id: flag.text("Event id (default msg_test)"),
    timestamp: flag.integer("Seconds since the epoch (default now)", { min: 0 }),
  },
  examples: [
    "playtest webhooks sign body.json --secret-file secret.txt",
    "PLAYTEST_WEBHOOK_SECRET=… playtest webhooks sign - < body.json",
  ],
  async run({ args, flags }, ctx) {
    const secret = await readSecret(ctx, flags.secretFile);
    const body = await readFrom(ctx, args.body, "body");
    const timestamp = flags.timestamp ?? Math.floor(ctx.now() / 1000);
    const headers = signatures({ id: flags.id ?? "msg_test", timestamp, body, secret });
    const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return ctx.text(text.join("\n"), { result: headers });
  },
});

const headerLine = (line: string): [string, string] => {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line.trim()) ?? [];
  if (name === undefined) throw usage(`--with-header: ${JSON.stringify(line)} is not of the form 'Name: value'.`);
  return [name.toLowerCase(), value ?? ""];
};

/** Header lines as a capture has them: request line, body and empty lines are passed over. */
const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => /^[A-Za-z0-9-]+:/.test(line));

export const verify = define({
  name: "verify",
  summary: "Check the signatures of a request you received, and say which part failed",
  risk: "local",
  args: { body: arg.text("File with the body, byte for byte; - is standard input") },
  flags: {
    secretFile: secretFlag,
    withHeader: flag.list("A header of the request, 'Name: value'", { short: "H", value: "HEADER" }),
    headersFile: flag.text("File with the header lines of the request", { value: "FILE" }),
    tolerance: flag.duration("How far its time may be off (default 5m)"),
  },
  examples: [
    "playtest webhooks verify body.json --headers-file headers.txt --secret-file secret.txt",
    "playtest webhooks verify body.json -H 'X-WPG-Signature: 5d1c…' -H 'X-WPG-Timestamp: 1767225600' --tolerance 7d",
  ],
  async run({ args, flags }, ctx) {
    const secret = await readSecret(ctx, flags.secretFile);
    const fromFile = flags.headersFile === undefined ? [] : linesOf(await readFrom(ctx, flags.headersFile, "--headers-file"));
    const headers = Object.fromEntries([...fromFile, ...flags.withHeader].map(headerLine));
    const body = await readFrom(ctx, args.body, "body");
    const now = Math.floor(ctx.now() / 1000);
    const verdicts = verdictsOn({ headers, body, secret, now, tolerance: flags.tolerance ?? 300 });
    const failed = verdicts.filter(({ ok }) => !ok).map(({ name }) => name);
    const outcome = ctx.rows("checks", verdicts, checkView);
    if (failed.length === 0) return outcome;
    return { ...outcome, failure: failure(`The request is not genuine: ${failed.join(", ")}.`) };
  },
});
