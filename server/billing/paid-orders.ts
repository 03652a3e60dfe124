import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";

/** A payment for an order that was placed, whose money just became its owner's credit. */
export interface PaidOrder {
  playtestId: string;
  paymentId: string;
  amountCents: number;
}

/** What billing does with a payment for an order. The orders room implements it and the app passes it in, so that billing imports no orders. */
export interface PaidOrders {
  /** Whether the order still waits for its payment. */
  awaitsPayment(deps: Deps, tx: Query, playtestId: string): Promise<boolean>;
  /** Takes the price from the owner's credit and opens the slots. Only for an order that awaits payment. */
  onPaid(deps: Deps, tx: Query, paid: PaidOrder): Promise<void>;
}
