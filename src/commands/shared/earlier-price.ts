import type { Context } from "../../cli/define.ts";
import type { CheckedOrder } from "../../contract/order-check.ts";

type Sized = Pick<CheckedOrder, "visibility" | "quantity" | "durationMinutes" | "playerCount">;

/** The playtest minutes that an order takes from a subscription, by the rule of every server of this API. */
export const minutesOf = ({ visibility, quantity, durationMinutes, playerCount }: Sized) =>
  visibility === "public" ? 0 : durationMinutes * playerCount * quantity;

/** Where no game is named, this many are searched. */
const mostGames = 10;

async function gamesOf(ctx: Context, gameId: string | undefined): Promise<string[]> {
  if (gameId !== undefined) return [gameId];
  const { games } = await ctx.api().listGames({ query: { limit: mostGames } });
  return games.map(({ id }) => id);
}

/**
 * What one slot of such an order cost last time, in cents: where a server gives no quotes, its earlier prices are all there is. Undefined
 * if there is no such order among the last 100 of the game.
 */
export async function earlierCost(ctx: Context, gameId: string | undefined, order: Sized): Promise<number | undefined> {
  if (order.visibility === "public") return 0;
  const found = [];
  for (const game of await gamesOf(ctx, gameId)) {
    const { playtests } = await ctx.api().listPlaytests({ params: { gameId: game }, query: { limit: 100 } });
    const alike = playtests.find(
      ({ visibility, durationMinutes, playerCount, costPerSlotCents }) =>
        visibility === "private" &&
        durationMinutes === order.durationMinutes &&
        playerCount === order.playerCount &&
        typeof costPerSlotCents === "number",
    );
    if (alike) found.push(alike);
  }
  const [newest] = found.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  return newest?.costPerSlotCents ?? undefined;
}

export const fromEarlierOrder =
  "This server does not quote prices. The price is that of an earlier order of the same length and number of players.";
export const unknownPrice =
  "This server does not quote prices, and no earlier order of the same length and number of players was found to go by.";
