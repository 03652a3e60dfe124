import type { z } from "zod";
import type { payHeaders } from "../../../src/contract/headers.ts";
import type { Wanted } from "./quotes.ts";
import type { Proof } from "./types.ts";

type Headers = z.output<typeof payHeaders>;

/** The chain, currency and sending address that the request's headers choose. */
export const wantedOf = ({
  "X-Payment-Chain": chain,
  "X-Payment-Currency": currency,
  "X-Payment-From": payer,
}: Headers): Wanted => ({
  chain,
  currency,
  payer,
});

/** The transaction in the request's `X-Payment` header, if there is one. */
export const proofOf = ({ "X-Payment": named }: Headers, ownerId: string): Proof | undefined => named && { ownerId, ...named };
