import * as z from "zod";
import { tracedFetch } from "../../../outbound/traced-fetch.ts";
import { ChainDown } from "./chain.ts";

/** Makes a JSON-RPC call. Throws `ChainDown` if the reply does not match `schema`. */
export type Rpc = <T>(method: string, params: readonly unknown[], schema: z.ZodType<T>) => Promise<T>;

const envelope = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number().optional(), message: z.string().optional() }).nullish(),
});

/** Calls a node by JSON-RPC 2.0. Throws `ChainDown` unless it returns a valid response within `timeoutMs`. */
export function createRpc(url: string, timeoutMs: number): Rpc {
  return async (method, params, schema) => {
    try {
      const response = await tracedFetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: "error",
      });
      if (!response.ok) throw new Error(`the node responded with status ${response.status}`);
      const { result, error } = envelope.parse(await response.json());
      if (error) throw new Error(`${error.message ?? "error"} (${error.code ?? "no code"})`);
      return schema.parse(result);
    } catch (cause) {
      throw new ChainDown(`The node did not respond to ${method}.`, { cause });
    }
  };
}
