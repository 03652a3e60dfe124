import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The two signatures of a webhook request: the service's own and that of Standard Webhooks. */

const prefix = "whsec_";

export const newSecret = () => prefix + randomBytes(32).toString("base64");

export interface Signable {
  id: string;
  /** Seconds since the epoch. */
  timestamp: number;
  body: Body;
  secret: string;
}

/** A signature is of bytes, which need not be text. */
type Body = string | Uint8Array;

const own = ({ timestamp, body, secret }: Signable) =>
  createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
const standard = ({ id, timestamp, body, secret }: Signable) => {
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
};

/** The signature headers that the server sends with `body`. */
export const sign = (what: Signable): Record<string, string> => ({
  "x-wpg-signature": own(what),
  "x-wpg-timestamp": `${what.timestamp}`,
  "x-wpg-signature-version": "v1",
  "webhook-id": what.id,
  "webhook-timestamp": `${what.timestamp}`,
  "webhook-signature": `v1,${standard(what)}`,
});

export interface Verdict {
  name: string;
  ok: boolean;
  detail: string;
}

export interface Request {
  headers: Record<string, string | undefined>;
  body: Uint8Array;
  secret: string;
  /** Seconds since the epoch. */
  now: number;
  /** Maximum difference of a timestamp from `now`, in seconds. */
  tolerance: number;
}

const same = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

function checkTime(header: string, text: string, { now, tolerance }: Request): Verdict {
  const age = now - Number(text);
  const name = header;
  if (!/^\d+$/.test(text)) return { name, ok: false, detail: "not a number of seconds" };
  const difference = `${Math.abs(age)} s ${age < 0 ? "in the future" : "old"}`;
  if (Math.abs(age) <= tolerance) return { name, ok: true, detail: difference };
  return { name, ok: false, detail: `${difference}; the tolerance is ${tolerance} s` };
}

/** The likely reason why a signature does not match. */
function explain(matches: (body: Body) => boolean, body: Uint8Array): string {
  const [lineFeed, carriageReturn] = [0x0a, 0x0d];
  const lineBreak = body.at(-1) !== lineFeed ? 0 : body.at(-2) === carriageReturn ? 2 : 1;
  if (lineBreak > 0 && matches(body.subarray(0, -lineBreak)))
    return "matches only without the final line break of the body; verify the exact bytes received";
  return "does not match: wrong secret, or the body was modified, for example parsed and serialized again";
}

function checkSignature(name: string, given: readonly string[], expected: (body: Body) => string, body: Uint8Array): Verdict {
  const matches = (bytes: Body) => given.some((one) => same(one, expected(bytes)));
  const ok = matches(body);
  return { name, ok, detail: ok ? "matches" : explain(matches, body) };
}

/** Verifies the signatures of a request, part by part. The request is authentic if no part failed. */
export function verify(request: Request): Verdict[] {
  const { headers, body, secret } = request;
  const verdicts: Verdict[] = [];
  const missing = (name: string) => ({ name, ok: false, detail: "missing" });
  const ownTime = headers["x-wpg-timestamp"];
  const ownGiven = headers["x-wpg-signature"];
  if (ownGiven !== undefined) {
    verdicts.push(ownTime === undefined ? missing("x-wpg-timestamp") : checkTime("x-wpg-timestamp", ownTime, request));
    const expected = (bytes: Body) => own({ id: "", timestamp: Number(ownTime), body: bytes, secret });
    verdicts.push(checkSignature("x-wpg-signature", [ownGiven.toLowerCase()], expected, body));
  }
  const given = headers["webhook-signature"];
  const { "webhook-id": id, "webhook-timestamp": time } = headers;
  if (given !== undefined) {
    verdicts.push(time === undefined ? missing("webhook-timestamp") : checkTime("webhook-timestamp", time, request));
    if (id === undefined) verdicts.push(missing("webhook-id"));
    const v1 = given.split(" ").flatMap((one) => (one.startsWith("v1,") ? [one.slice(3)] : []));
    const expected = (bytes: Body) => standard({ id: id ?? "", timestamp: Number(time), body: bytes, secret });
    const verdict = checkSignature("webhook-signature", v1, expected, body);
    const ownMatches = verdicts.some(({ name, ok }) => name === "x-wpg-signature" && ok);
    const wrongHeaders =
      "does not match: the secret and body are right, but webhook-id or webhook-timestamp differ from what was signed";
    verdicts.push(!verdict.ok && ownMatches ? { ...verdict, detail: wrongHeaders } : verdict);
  }
  return verdicts.length > 0 ? verdicts : [missing("x-wpg-signature"), missing("webhook-signature")];
}
