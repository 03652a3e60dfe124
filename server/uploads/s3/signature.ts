import { createHash, createHmac } from "node:crypto";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of credentials that end. */
  sessionToken?: string | undefined;
}

export interface Unsigned {
  method: string;
  url: URL;
  /** All of them are signed. */
  headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hex. */
  bodySha256: string;
}

export interface Signer {
  credentials: Credentials;
  region: string;
  /** In ms. */
  now: number;
}

export const hexSha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** As RFC 3986 has it: `encodeURIComponent` leaves five characters more as they are. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** A query as it is signed, and as it must be sent. */
export const queryOf = (params: Readonly<Record<string, string>>) =>
  Object.keys(params)
    .sort()
    .map((name) => `${encode(name)}=${encode(params[name]!)}`)
    .join("&");

/** The headers of a request to S3 with its signature, by AWS Signature Version 4. */
export function signed(
  { method, url, headers, bodySha256 }: Unsigned,
  { credentials, region, now }: Signer,
): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const all: Record<string, string> = {
    ...headers,
    "x-amz-content-sha256": bodySha256,
    "x-amz-date": time,
    ...(sessionToken !== undefined && { "x-amz-security-token": sessionToken }),
  };
  const lines = Object.entries({ ...all, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = lines.map(([name]) => name).join(";");
  const path = decodeURIComponent(url.pathname).split("/").map(encode).join("/");
  const query = queryOf(Object.fromEntries(url.searchParams));
  const canonical = [method, path, query, ...lines.map((line) => line.join(":")), "", names, bodySha256].join("\n");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const key = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${secretAccessKey}`, time.slice(0, 8)));
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, scope, hexSha256(canonical)].join("\n")).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`;
  return { ...all, authorization };
}
