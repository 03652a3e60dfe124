import type { Methods } from "../../src/api/client.ts";
import { methodsOf } from "../../src/api/methods.ts";
import { fillPath, queryString } from "../../src/api/url.ts";
import { contract, type Input, type Operation } from "../../src/contract/index.ts";
import type { Node } from "./server.ts";

/**
 * Every operation of the API as a function, typed by the contract, without retries and checks of its own: for what a test needs done.
 * Where a refusal, a header or the envelope is the subject, `request` shows the reply itself. Throws for a reply that is not a success.
 */
export const operationsOf = (server: Node, key?: string): Methods =>
  methodsOf(async <O extends Operation>(operation: O, input?: Input<O>) => {
    const { params = {}, query = {}, body, headers } = (input ?? {}) as Input<O> & { params?: object; body?: unknown };
    const { method, path } = contract[operation];
    const target = fillPath(path, params as Record<string, string>) + queryString(query);
    const reply = await server.request(method, target, { key, body, ...(headers && { headers }) });
    if (reply.status >= 300) throw new Error(`${operation} was refused with ${reply.status}: ${reply.text}`);
    return { ...reply, headers: {}, data: reply.body.data, meta: reply.body.meta, repeated: false };
  });
