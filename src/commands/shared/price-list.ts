/** The fields that determine the price of an order. */
export interface Sized {
  visibility: "public" | "private";
  quantity: number;
  durationMinutes: number;
  playerCount: number;
}

const cents: Record<number, readonly [first: number, further: number]> = {
  30: [1500, 1000],
  60: [2000, 1500],
  120: [3500, 2500],
  180: [5000, 4000],
};

/** The price of an order by the published price list, for servers without quotes. */
export function listPrice({ visibility, quantity, durationMinutes, playerCount }: Sized) {
  if (visibility === "public") return { costPerSlotCents: 0, totalCents: 0, minutesNeeded: 0 };
  const [first, further] = cents[durationMinutes]!;
  const costPerSlotCents = first + further * (playerCount - 1);
  return {
    costPerSlotCents,
    totalCents: costPerSlotCents * quantity,
    minutesNeeded: durationMinutes * playerCount * quantity,
  };
}

export const fromPriceList = "This server does not provide quotes. The price is an estimate from the published price list.";
