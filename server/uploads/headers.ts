import { createHash, type Hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isBlank } from "../../src/contract/text/blank.ts";
import { ApiError, badRequest, invalid } from "../lib/api-error.ts";
import { tooLarge, tusVersion, wrongVersion } from "./errors.ts";

/** Reading and checking the headers of tus 1.0, the protocol for resumable uploads. */
export function requireVersion(headers: IncomingHttpHeaders): void {
  if (headers["tus-resumable"] !== tusVersion) throw wrongVersion();
}

const header = (headers: IncomingHttpHeaders, name: string) => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(",") : value;
};

function wholeNumber(headers: IncomingHttpHeaders, name: string): number {
  const value = header(headers, name);
  if (value !== undefined && /^\d{1,15}$/.test(value)) return Number(value);
  throw badRequest(`The header ${name} is required and must be a whole number of bytes. Nothing was changed.`);
}

export interface Creation {
  size: number;
  metadata: Record<string, string | null>;
}

/** The size and metadata of a new upload. `parseMetadata` throws for metadata of a wrong form. Throws 400, 412, 413 or 422. */
export function readCreation(
  headers: IncomingHttpHeaders,
  maxBytes: number,
  parseMetadata: (text: string) => Creation["metadata"],
): Creation {
  requireVersion(headers);
  if (headers["upload-concat"] !== undefined)
    throw badRequest("This server does not support Upload-Concat. Nothing was created. Send the file as one upload.");
  const size = wholeNumber(headers, "upload-length");
  if (size > maxBytes) throw tooLarge(maxBytes);
  if (size === 0) throw invalid("Upload-Length", "must be at least 1; an empty file cannot be uploaded");
  const text = header(headers, "upload-metadata");
  try {
    return { size, metadata: text ? parseMetadata(text) : {} };
  } catch (error) {
    const message = "Upload-Metadata must be a comma-separated list of `key base64` pairs. Nothing was changed.";
    throw new ApiError("BAD_REQUEST", message, { cause: error });
  }
}

/** A metadata value of at most `max` code points; 422 when it is longer, or missing without being optional. */
export function readText(metadata: Creation["metadata"], field: string, max: number): string;
export function readText(metadata: Creation["metadata"], field: string, max: number, optional: true): string | null;
export function readText(metadata: Creation["metadata"], field: string, max: number, optional?: true): string | null {
  const value = metadata[field] || null;
  if (value === null && !optional) throw invalid(field, "is required in Upload-Metadata");
  if (value !== null && [...value].length > max) throw invalid(field, `must have at most ${max} characters`);
  if (value !== null && isBlank(value)) throw invalid(field, "must not be blank");
  if (value?.includes("\0")) throw invalid(field, "must not contain NUL characters");
  return value;
}

/** Checks the headers of a PATCH and returns the offset at which it starts. */
export function readOffset(headers: IncomingHttpHeaders): number {
  if (headers["content-type"] !== "application/offset+octet-stream")
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "Send bytes as application/offset+octet-stream. Nothing was changed.");
  return wholeNumber(headers, "upload-offset");
}

export const checksumAlgorithms = ["sha1", "sha256"];

export interface Checksum {
  hash: Hash;
  expected: string;
}

/** `Upload-Checksum: <algorithm> <base64>` of the checksum extension. */
export function readChecksum(headers: IncomingHttpHeaders): Checksum | undefined {
  const value = header(headers, "upload-checksum");
  if (value === undefined) return undefined;
  const [algorithm = "", expected = ""] = value.split(" ");
  if (!checksumAlgorithms.includes(algorithm))
    throw badRequest(`The algorithm of Upload-Checksum must be ${checksumAlgorithms.join(" or ")}. Nothing was changed.`);
  return { hash: createHash(algorithm), expected };
}
