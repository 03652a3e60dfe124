import type { Config } from "../config/schema.ts";
import { readBytes } from "../http/body.ts";
import { ApiError, badRequest, forbidden } from "../lib/api-error.ts";
import type { Form, ReadForm } from "./types.ts";

const KiB = 1024;
interface Allowed {
  /** The largest form. */
  bytes: number;
  /** Whether it may have small files. */
  files: boolean;
}

/** What somebody may post who is not signed in. */
const short: Allowed = { bytes: 64 * KiB, files: false };
/** A form with texts of the API: two descriptions in any script, the game keys of an order, or a file with orders. */
export const longForm: Allowed = { bytes: 1024 * KiB, files: true };

/** 403 for a form without the valid CSRF token of its session. */
export const staleForm = () =>
  forbidden("This page is out of date. Nothing was changed. Go back, reload the page and try again.");

/** Browsers count a line break as one character, as the limits of the API do, but send two. */
const lineFeeds = (text: string) => text.replaceAll("\r\n", "\n");

/** The texts of a form, with line breaks of one character. */
export const textsOf = (fields: Iterable<[name: string, text: string]>): Record<string, string> =>
  Object.fromEntries(Array.from(fields, ([name, text]) => [name, lineFeeds(text)]));

/** Reads the fields of posted forms. */
export const createReadForm =
  ({ requestTimeoutMs: withinMs }: Config["http"], allowed = short): ReadForm =>
  async (request) => {
    const type = request.headers["content-type"] ?? "";
    const hasFiles = allowed.files && type.startsWith("multipart/form-data");
    if (!hasFiles && !type.startsWith("application/x-www-form-urlencoded"))
      throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "This page accepts forms only.");
    const body = await readBytes(request, { bytes: allowed.bytes, withinMs });
    return hasFiles ? fieldsOf(body, type) : textsOf(new URLSearchParams(body.toString()));
  };

/** The fields of a form with files. A file is its bytes, as text in Latin-1; `NAME.filename` is what it is called. */
async function fieldsOf(body: Buffer, type: string): Promise<Form> {
  const form = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => {
    throw badRequest("The form did not arrive completely. Nothing was changed. Go back and send it again.");
  });
  const fields: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value === "string") fields[name] = lineFeeds(value);
    else {
      fields[name] = Buffer.from(await value.arrayBuffer()).toString("latin1");
      fields[`${name}.filename`] = value.name;
    }
  }
  return fields;
}
