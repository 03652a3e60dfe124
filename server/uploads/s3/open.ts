import { setTimeout as pause } from "node:timers/promises";
import { type BucketAddress, parseBucketAddress } from "../../config/blobs-address.ts";
import { Bucket } from "./bucket.ts";
import { createClient } from "./client.ts";
import { type Env, findCredentials } from "./credentials.ts";

export interface OpenOptions {
  env: Env;
  /** Real time in ms. */
  now(): number;
  /** See `ClientOptions`. */
  silenceMs?: number;
  attempts?: number;
}

/** Where an address names no region, the environment does. */
const regionOf = ({ region }: BucketAddress, env: Env) => region ?? (env.AWS_REGION || env.AWS_DEFAULT_REGION || "us-east-1");

/** The bucket of an address that was checked. Sends nothing. Throws ConfigError without credentials. */
export async function openBucket(text: string, { env, ...options }: OpenOptions): Promise<Bucket> {
  const address = parseBucketAddress(text)!;
  await findCredentials(env);
  const wait = (ms: number) => pause(ms);
  return new Bucket(
    createClient({ address, region: regionOf(address, env), credentials: () => findCredentials(env), wait, ...options }),
  );
}
