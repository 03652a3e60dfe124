import { randomBytes } from "node:crypto";
import type { Check } from "../../database/port.ts";
import type { Bucket } from "./bucket.ts";
import { BucketAway, S3Error } from "./client.ts";

/** More and S3 refuses requests. */
const mostSkewMs = 15 * 60_000;
const noticedSkewMs = 60_000;

interface Step {
  /** What is tried, for people. */
  what: string;
  /** What a policy of the bucket must allow for it. */
  action: string;
  try(): Promise<unknown>;
}

/** Tries all that a server does with its bucket, with an object of its own that it removes again. */
export async function checkBucket(bucket: Bucket, now: () => number): Promise<Check> {
  const { name } = bucket;
  const key = `doctor/${randomBytes(16).toString("hex")}`;
  const written = randomBytes(64);
  const read = async (range: { start: number; end: number } | undefined, expected: Uint8Array) => {
    const parts: Uint8Array[] = [];
    for await (const part of (await bucket.read(key, range)) ?? []) parts.push(part);
    if (!Buffer.concat(parts).equals(expected)) throw new Error("other bytes came back than were written");
  };
  const steps: Step[] = [
    { what: "write an object", action: "s3:PutObject", try: () => bucket.put(key, written) },
    { what: "read an object", action: "s3:GetObject", try: () => read(undefined, written) },
    { what: "read a part of an object", action: "s3:GetObject", try: () => read({ start: 8, end: 23 }, written.subarray(8, 24)) },
    { what: "list the bucket", action: "s3:ListBucket", try: () => requireListed(bucket, key) },
    { what: "list unfinished uploads", action: "s3:ListBucketMultipartUploads", try: () => bucket.endUnfinished(0) },
    {
      what: "upload in parts",
      action: "s3:PutObject, s3:ListMultipartUploadParts and s3:AbortMultipartUpload",
      try: () => bucket.tryParts(key),
    },
    { what: "remove an object", action: "s3:DeleteObject", try: () => bucket.remove(key) },
  ];
  for (const step of steps)
    try {
      await step.try();
    } catch (error) {
      await bucket.remove(key).catch(() => {});
      const problem = reason(error);
      return { name: "storage", ok: false, detail: `cannot ${step.what} in ${name}: ${problem}`, help: helpFor(error, step) };
    }
  return clockCheck(name, (await bucket.serverTime()) - now());
}

async function requireListed(bucket: Bucket, key: string): Promise<void> {
  for await (const found of bucket.list(["doctor/"])) if (found.key === key) return;
  throw new Error("the list lacks what was just written");
}

function reason(error: unknown): string {
  const { cause, message } = error as Error;
  if (!(error instanceof BucketAway)) return message;
  // What fetch says is only that it failed.
  const inner = cause as Error | undefined;
  return (inner?.cause as Error | undefined)?.message ?? inner?.message ?? message;
}

const helps: Record<string, string> = {
  AccessDenied:
    "The credentials are known, but not allowed to do this. Allow {action} in the policy of the bucket or of the user.",
  InvalidAccessKeyId: "The service does not know this access key. Check AWS_ACCESS_KEY_ID, or the profile in ~/.aws/credentials.",
  SignatureDoesNotMatch: "The secret does not belong to the access key. Check AWS_SECRET_ACCESS_KEY, without spaces around it.",
  NoSuchBucket: "There is no such bucket. Create it, or correct blobs.address.",
  PermanentRedirect: "The bucket is elsewhere. Correct the region or the endpoint in blobs.address.",
  AuthorizationHeaderMalformed: "The bucket is in another region. Correct `region` in blobs.address.",
  ExpiredToken: "The credentials ended. Renew them.",
};

function helpFor(error: unknown, { action }: Step): string {
  const code = error instanceof S3Error ? error.code : "";
  const known = helps[code] ?? (error instanceof S3Error && error.status === 403 ? helps.AccessDenied : undefined);
  return (
    known?.replace("{action}", action) ??
    "Check that the service runs and that this machine reaches the address. Uploads wait on the local disk until it answers."
  );
}

function clockCheck(name: string, aheadMs: number): Check {
  const detail = `${name} can be written, read, listed and cleared`;
  const off = Math.round(Math.abs(aheadMs) / 1000);
  if (Math.abs(aheadMs) < noticedSkewMs) return { name: "storage", ok: true, detail };
  const skew = `this machine's clock is ${off} s ${aheadMs > 0 ? "behind" : "ahead of"} that of the service`;
  const help = "Set the clock by NTP: services refuse requests that are more than 15 minutes off.";
  if (Math.abs(aheadMs) > mostSkewMs) return { name: "storage", ok: false, detail: skew, help };
  return { name: "storage", ok: true, warning: true, detail: `${detail}; ${skew}`, help };
}
