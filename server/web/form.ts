import type { Config } from "../config/schema.ts";
import { readBytes } from "../http/body.ts";
import { ApiError, forbidden } from "../lib/api-error.ts";
import type { ReadForm } from "./types.ts";

const bytes = 64 * 1024;

/** 403 for a form without the valid CSRF token of its session. */
export const staleForm = () =>
  forbidden("This page is out of date. Nothing was changed. Go back, reload the page and try again.");

/** Reads the fields of posted forms. */
export const createReadForm =
  ({ requestTimeoutMs: withinMs }: Config["http"]): ReadForm =>
  async (request) => {
    if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
      throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "This page accepts forms only.");
    const body = await readBytes(request, { bytes, withinMs });
    return Object.fromEntries(new URLSearchParams(body.toString()));
  };
