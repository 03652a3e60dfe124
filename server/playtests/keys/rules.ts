/** Rules for the game keys that a playtest hands out with its slots. */
export interface KeySupply {
  /** Keys that nobody has seen. */
  unused: number;
  /** Keys that the open slots need: one for each player. */
  needed: number;
}

export const isLow = ({ unused, needed }: KeySupply) => unused < needed;

/** Whether the keys are too few since `lost` more are needed, or fewer are left. */
export const becameLow = ({ unused, needed }: KeySupply, lost: number) => unused < needed && unused >= needed - lost;

/** The most keys that one slot is given, as members of its team are replaced. */
export const maxKeysOf = (playerCount: number) => 2 * playerCount;

/** The open slots that can be claimed with the keys that are left. */
export const claimable = (open: number, unused: number, perSlot: number) => Math.min(open, Math.floor(unused / perSlot));

/** A key as it is shown to people who need to recognize it, but not to use it. */
export const masked = (key: string) => (key.length > 8 ? `…${key.slice(-4)}` : "…");
