import type { CallOperation } from "../../src/contract/index.ts";
import { authenticate } from "../accounts/authenticate.ts";
import type { Deps } from "../app/deps.ts";
import type { CallAs } from "../http/call-operation.ts";

/** What filling a new database needs: the operations of the API, and the key of its administrator. */
export interface Seeding {
  deps: Deps;
  callAs: CallAs;
  adminKey: string;
}

const client = { address: "127.0.0.1", agent: "playtest serve --seed", signal: new AbortController().signal };
const origin = { requestId: "seed", client };

/** Calls operations with an API key, as a client would. */
export async function callWith({ deps, callAs }: Seeding, key: string): Promise<CallOperation> {
  return callAs(await authenticate(deps, { authorization: `Bearer ${key}` }, {}), origin);
}

/** Calls the operations of a sandbox that need no key. */
export const callWithoutKey = ({ callAs }: Seeding): CallOperation => callAs(undefined, origin);
