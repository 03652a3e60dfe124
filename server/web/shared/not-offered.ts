import { ApiError } from "../../lib/api-error.ts";

/** The server behind a page has no such operation: it implements the specification and not all that this program adds. */
export class NotOffered extends ApiError {
  constructor(cause?: unknown) {
    super("NOT_FOUND", "The server that you are signed in to does not offer this.", { cause });
  }
}

/** What an operation replies with. Undefined from a server that does not offer it. */
export async function ifOffered<T>(wanted: Promise<T>): Promise<T | undefined> {
  try {
    return await wanted;
  } catch (error) {
    if (error instanceof NotOffered) return undefined;
    throw error;
  }
}
