/** Where the bucket of `s3://BUCKET/PREFIX?endpoint=…&region=…&path-style` is. */
export interface BucketAddress {
  bucket: string;
  /** Empty, or with a slash at its end. */
  prefix: string;
  /** The address of the service; undefined for Amazon's own. */
  endpoint: string | undefined;
  /** Undefined where the environment says it. */
  region: string | undefined;
  /** Whether the bucket is the first part of the path, not of the host name. */
  pathStyle: boolean;
}

/** What such an address looks like, for messages. */
export const addressForm = "s3://BUCKET/PREFIX?endpoint=https://…&region=…&path-style";

/** Undefined for a text that is no such address. */
export function parseBucketAddress(text: string): BucketAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "s3:" || url.username !== "" || url.password !== "" || url.port !== "" || url.hash !== "")
    return undefined;
  const { hostname: bucket, searchParams } = url;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) return undefined;
  // Characters that are written the same way in a path, a signature and a list.
  const path = url.pathname.replace(/^\/+|\/+$/g, "");
  if (!/^[A-Za-z0-9._/-]*$/.test(path) || path.includes("//")) return undefined;
  if ([...searchParams.keys()].some((name) => !["endpoint", "region", "path-style"].includes(name))) return undefined;
  const endpoint = searchParams.get("endpoint") ?? undefined;
  if (endpoint !== undefined && !isEndpoint(endpoint)) return undefined;
  const region = searchParams.get("region") ?? undefined;
  if (region !== undefined && !/^[a-z0-9-]{1,40}$/.test(region)) return undefined;
  const flag = searchParams.get("path-style");
  if (flag !== null && !["", "true", "false"].includes(flag)) return undefined;
  return { bucket, prefix: path === "" ? "" : `${path}/`, endpoint, region, pathStyle: flag !== null && flag !== "false" };
}

/** Whether two addresses name the same bucket and prefix, however they are written. */
export const isSameAddress = (one: string, other: string): boolean =>
  JSON.stringify(parseBucketAddress(one)) === JSON.stringify(parseBucketAddress(other));

function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.username === "" && url.search === "";
}
