import { createHmac } from "node:crypto";

export const secretPrefix = "whsec_";

/** A signing secret from 32 random bytes, in the form of Standard Webhooks. */
export const newSecret = (random: Buffer) => secretPrefix + random.toString("base64");

export interface Signed {
  /** Stays the same over all attempts: receivers recognise repetitions by it. */
  id: string;
  /** Seconds since the epoch, real time at sending. */
  timestamp: number;
  body: string;
  secret: string;
}

/**
 * The headers of one attempt: the service's own (the whole secret is the key, the text is `timestamp.body`) and those of
 * Standard Webhooks (the key is what the secret's base64 says, the text is `id.timestamp.body`).
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
