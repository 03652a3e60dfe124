import { createHmac } from "node:crypto";

export const secretPrefix = "whsec_";

/** A signing secret from 32 random bytes, in the format of Standard Webhooks. */
export const newSecret = (random: Buffer) => secretPrefix + random.toString("base64");

export interface Signed {
  /** The same for all attempts, so that receivers can detect duplicates. */
  id: string;
  /** Seconds since the epoch, real time at sending. */
  timestamp: number;
  body: string;
  secret: string;
}

/**
 * The headers of one attempt: `X-WPG-…` (the key is the whole secret, the signed text is `timestamp.body`) and those of Standard Webhooks
 * (the key is the decoded base64 of the secret, the signed text is `id.timestamp.body`).
 */
export function signatureHeaders({ id, timestamp, body, secret }: Signed): Record<string, string> {
  const own = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  const standard = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "X-WPG-Signature": own,
    "X-WPG-Timestamp": String(timestamp),
    "X-WPG-Signature-Version": "v1",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${standard}`,
  };
}
