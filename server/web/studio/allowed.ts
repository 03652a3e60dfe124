import { ApiError } from "../../lib/api-error.ts";
import { NotOffered } from "../shared/not-offered.ts";

/** What an operation replies with. Undefined where the server does not offer it, or the API key that `playtest studio` uses may not call it. */
export async function ifAllowed<T>(wanted: Promise<T>): Promise<T | undefined> {
  try {
    return await wanted;
  } catch (error) {
    if (error instanceof NotOffered || (error instanceof ApiError && error.code === "FORBIDDEN")) return undefined;
    throw error;
  }
}
