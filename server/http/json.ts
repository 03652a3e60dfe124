import { JsonFault, parseStrictJson as parseText } from "../../src/contract/input/strict-json.ts";
import { ApiError } from "../lib/api-error.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });
const malformed = (why: string) =>
  new ApiError("BAD_REQUEST", `The request body is not valid JSON: ${why}. Nothing was changed.`);

/** Parses the JSON of a request body. 400 for invalid UTF-8 and for what the strict parser refuses. */
export function parseStrictJson(bytes: Uint8Array): unknown {
  try {
    return parseText(decode(bytes));
  } catch (error) {
    throw error instanceof JsonFault ? malformed(error.message) : error;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed("it is not UTF-8");
  }
}
