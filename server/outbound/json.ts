import type { OutboundReply } from "./types.ts";

/** The body of a reply as JSON. Undefined for one that is none. */
export function jsonOf({ body }: Pick<OutboundReply, "body">): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
