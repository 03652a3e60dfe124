import { problemOf as faultText, type VideoFault } from "../../src/contract/files/inspect-video.ts";
import { ApiError } from "../lib/api-error.ts";

/** The errors of uploads, with the statuses of tus 1.0 and the error body of the API. */
export const tusVersion = "1.0.0";

export const wrongVersion = () =>
  new ApiError(
    "BAD_REQUEST",
    `Uploads use tus ${tusVersion}. Nothing was changed. Send the header \`Tus-Resumable: ${tusVersion}\`.`,
    {
      status: 412,
      headers: { "Tus-Version": tusVersion },
    },
  );

export const tooLarge = (maxBytes: number, headers: Record<string, string> = { "Tus-Max-Size": String(maxBytes) }) =>
  new ApiError("PAYLOAD_TOO_LARGE", `An upload can have at most ${maxBytes} bytes. Nothing was stored.`, {
    headers,
  });

export const locked = () =>
  new ApiError(
    "CONFLICT",
    "Another request is sending this upload. Nothing was changed. Get the offset with HEAD, then resume from there.",
    {
      status: 423,
    },
  );

export const gone = () =>
  new ApiError("NOT_FOUND", "This upload has expired, or was terminated or replaced. Start a new upload.", { status: 410 });

/** A file that nobody could watch. */
export function unusableVideo(fault: VideoFault): ApiError {
  const { what, remedy } = faultText(fault);
  return new ApiError("UNSUPPORTED_MEDIA_TYPE", `The file ${what}. Nothing was stored. ${remedy}`);
}

export const notVideo = () => unusableVideo("not-video");

export const wrongChecksum = (field: string, message: string) =>
  new ApiError("VALIDATION_ERROR", `${field}: ${message}`, { status: 460, details: [{ field, message }] });

const codes = {
  400: ["BAD_REQUEST", "The upload request is malformed"],
  404: ["NOT_FOUND", "Upload not found"],
  409: ["CONFLICT", "Upload-Offset is not the current offset of this upload. Get the offset with HEAD, then resume from there"],
  413: ["PAYLOAD_TOO_LARGE", "The request has more bytes than the upload's length"],
} as const;

export const tooMuch = () => uploadError(413, "");

/** Turns the library's plain-text error into an ApiError. After a write error the bytes that had arrived are kept. */
export function uploadError(status: number, text: string): ApiError {
  if (status === 410) return gone();
  const known = codes[status as keyof typeof codes];
  if (known) return new ApiError(known[0], `${known[1]}.`);
  return new ApiError(
    "SERVICE_UNAVAILABLE",
    "The upload cannot be stored right now. The bytes received so far are kept. Resume the upload later.",
    {
      headers: { "Retry-After": "5" },
      cause: new Error(`tus ${status}: ${text.trim()}`),
    },
  );
}
