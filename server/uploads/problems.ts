import { Problem } from "../lib/problem.ts";

/** What goes wrong with an upload: the statuses of tus 1.0, the error body of the API. */
export const tusVersion = "1.0.0";

export const wrongVersion = () =>
  new Problem("BAD_REQUEST", `This speaks tus ${tusVersion}: send \`Tus-Resumable: ${tusVersion}\`. Nothing was changed.`, {
    status: 412,
    headers: { "Tus-Version": tusVersion },
  });

export const tooLarge = (maxBytes: number, headers: Record<string, string> = { "Tus-Max-Size": String(maxBytes) }) =>
  new Problem("PAYLOAD_TOO_LARGE", `An upload may have at most ${maxBytes} bytes. Nothing was kept.`, {
    headers,
  });

export const locked = () =>
  new Problem("CONFLICT", "Another request is sending to this upload. Ask for the offset with HEAD, then go on from there.", {
    status: 423,
  });

export const gone = () =>
  new Problem("NOT_FOUND", "This upload has expired, was ended or replaced by another. Start a new one.", { status: 410 });

export const notVideo = () =>
  new Problem("UNSUPPORTED_MEDIA_TYPE", "This is not an MP4, WebM, MOV or MKV video by its first bytes. Nothing was kept.");

export const wrongChecksum = (field: string, message: string) =>
  new Problem("VALIDATION_ERROR", `${field}: ${message}`, { status: 460, details: [{ field, message }] });

const codes = {
  400: ["BAD_REQUEST", "The upload request is malformed"],
  404: ["NOT_FOUND", "There is no such upload"],
  409: ["CONFLICT", "Upload-Offset is not where this upload is. Ask for the offset with HEAD, then go on from there"],
  413: ["PAYLOAD_TOO_LARGE", "This is more than the upload's length"],
} as const;

export const tooMuch = () => problemOf(413, "");

/** The library's plain-text refusal as one of ours. What it calls a write error keeps what had arrived. */
export function problemOf(status: number, text: string): Problem {
  if (status === 410) return gone();
  const known = codes[status as keyof typeof codes];
  if (known) return new Problem(known[0], `${known[1]}.`);
  return new Problem("SERVICE_UNAVAILABLE", "The upload cannot be stored just now. What arrived is kept: resume later.", {
    headers: { "Retry-After": "5" },
    cause: new Error(`tus ${status}: ${text.trim()}`),
  });
}
