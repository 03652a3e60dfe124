import type { Config } from "../config/schema.ts";
import { readBytes } from "../http/body.ts";
import { ApiError, forbidden } from "../lib/api-error.ts";
import type { ReadForm } from "./types.ts";

const KiB = 1024;
/** The largest form of somebody who is not signed in. */
const short = 64 * KiB;
/** The largest form with texts of the API: two descriptions in any script, or the game keys of an order. */
export const longForm = 1024 * KiB;

/** 403 for a form without the valid CSRF token of its session. */
export const staleForm = () =>
  forbidden("This page is out of date. Nothing was changed. Go back, reload the page and try again.");

/** Reads the fields of posted forms. */
export const createReadForm =
  ({ requestTimeoutMs: withinMs }: Config["http"], bytes: number = short): ReadForm =>
  async (request) => {
    if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
      throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "This page accepts forms only.");
    const body = await readBytes(request, { bytes, withinMs });
    return Object.fromEntries(new URLSearchParams(body.toString()));
  };
