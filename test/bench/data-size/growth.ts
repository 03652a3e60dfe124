import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Call, load } from "../load.ts";
import { type Figure, inTurn } from "../measure.ts";
import { type Served, serveIn } from "../serve.ts";
import { type Listed, populateReviews } from "../sustained/population.ts";

const connections = 64;
/** Orders, and reviews, of one turn. */
const perTurn = 2_000;
/** With one more, which warms up. */
const rounds = 5;

interface Owner extends Listed {
  served: Served;
  /** The slots whose videos are not reviewed yet. */
  slotIds: string[];
}

/** `growth`: orders and reviews of an owner with 1,000,000 slots, against those of an owner with 1,000. */
export async function growth(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    const [small, large] = [await ownerOf(folder, 1_000), await ownerOf(folder, 1_000_000)];
    const figures = [await compare("orders", small, large, orderOf), await compare("reviews", small, large, acceptOf)];
    await Promise.all([small, large].map(({ served }) => served.stop()));
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ownerOf(folder: string, slots: number): Promise<Owner> {
  const dataDir = mkdtempSync(join(folder, "data-"));
  const owner = await populateReviews(dataDir, slots, perTurn * (rounds + 1));
  return { ...owner, served: await serveIn(dataDir, []) };
}

const headersOf = ({ key }: Owner) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });

const orderOf = (owner: Owner): Call => ({
  method: "POST",
  path: `/api/v1/games/${owner.gameId}/playtests`,
  headers: headersOf(owner),
  body: "{}",
});

const acceptOf = (owner: Owner): Call => ({
  method: "POST",
  path: `/api/v1/slots/${owner.slotIds.pop()}/accept`,
  headers: headersOf(owner),
  body: '{"rating":5}',
});

async function compare(what: string, small: Owner, large: Owner, callOf: (owner: Owner) => Call): Promise<Figure> {
  const turn = async (owner: Owner) => {
    const { perSecond, statuses } = await load(owner.served.baseUrl, { connections, count: perTurn, make: () => callOf(owner) });
    if (Object.keys(statuses).some((status) => !/^20[01]$/.test(status))) throw new Error(`replies: ${JSON.stringify(statuses)}`);
    return perSecond;
  };
  const rates = await inTurn(
    [
      { name: "small", run: () => turn(small) },
      { name: "large", run: () => turn(large) },
    ],
    rounds,
  );
  const [ofSmall, ofLarge] = [rates.get("small")!, rates.get("large")!];
  return {
    name: "growth",
    what: `${what} with 1,000,000 slots stored, against 1,000`,
    ratio: ofLarge / ofSmall,
    goal: "≥ 0.9×",
    met: ofLarge >= 0.9 * ofSmall,
    raw: `${Math.round(ofLarge)} / ${Math.round(ofSmall)} a second`,
  };
}
