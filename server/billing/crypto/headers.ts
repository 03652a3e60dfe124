import type { z } from "zod";
import type { payHeaders } from "../../../src/contract/headers.ts";
import type { Proof } from "./proofs.ts";
import type { Pair } from "./rules.ts";

type Headers = z.output<typeof payHeaders>;

/** The pair a caller wants to pay with. */
export const pairOf = ({ "X-Payment-Chain": chain, "X-Payment-Currency": currency }: Headers): Pair => ({ chain, currency });

/** The transaction that a request names as its payment, if it names one. */
export const proofOf = ({ "X-Payment": named }: Headers, ownerId: string): Proof | undefined => named && { ownerId, ...named };
