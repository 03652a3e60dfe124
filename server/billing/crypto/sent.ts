import type { z } from "zod";
import type { payHeaders } from "../../../src/contract/headers.ts";
import type { Deps } from "../../app/deps.ts";
import { proofOf } from "./headers.ts";
import { lookUp } from "./proofs.ts";
import { type SettledPayment, settleSigned } from "./signed/settle.ts";
import type { Scope } from "./types.ts";

/** The payment that a request comes with: the transaction that it names, or that its signature was settled by. */
export async function sentPayment(
  deps: Deps,
  { headers, ownerId, scope }: { headers: z.output<typeof payHeaders>; ownerId: string; scope: Scope },
): Promise<SettledPayment | undefined> {
  const signed = headers["PAYMENT-SIGNATURE"];
  if (signed) return settleSigned(deps, { ownerId, signed, scope });
  const named = proofOf(headers, ownerId);
  return named && { ...(await lookUp(deps, named, scope)), headers: {} };
}
