import type { Operation } from "../../src/contract/index.ts";

/** Endpoints whose handlers are still to be written: they answer 501. The list is empty when the server is complete. */
export const pending = [] as const satisfies readonly Operation[];

export type Pending = (typeof pending)[number];
