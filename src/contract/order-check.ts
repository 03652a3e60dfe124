import type { BodyIn } from "./endpoint.ts";
import type { Contract } from "./index.ts";

/** The check of an order before it is sent. It loads the rules of the contract on demand. */

export type OrderBody = NonNullable<BodyIn<Contract["createPlaytest"]>>;
export type CheckedOrder = OrderBody & {
  visibility: "public" | "private";
  quantity: number;
  durationMinutes: number;
  playerCount: number;
};

export type Verdict = { order: CheckedOrder } | { faults: { field: string; message: string }[] };

/** Validates order bodies with the contract's schema, which the server uses too. */
export async function orderChecker(): Promise<(body: unknown) => Verdict> {
  const { orderBody } = await import("./order-body.ts");
  return (body) => {
    const checked = orderBody.safeParse(body);
    if (checked.success) return { order: checked.data as CheckedOrder };
    const issues = checked.error.issues as { path: PropertyKey[]; message: string; keys?: string[] }[];
    return { faults: issues.map(({ path, message, keys }) => ({ field: String(path[0] ?? keys?.[0] ?? "body"), message })) };
  };
}
