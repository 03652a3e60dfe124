import type { Deps } from "../app/deps.ts";
import { allCategories, insertCategory } from "./store.ts";

const shipped = [
  "Action",
  "Adventure",
  "Arcade",
  "Battle Royale",
  "Card Game",
  "City Builder",
  "Educational",
  "Fighting",
  "FPS",
  "Horror",
  "Metroidvania",
  "MMO",
  "Music",
  "Party",
  "Pixel Art",
  "Platformer",
  "Puzzle",
  "Racing",
  "Roguelike",
  "RPG",
  "Sandbox",
  "Shooter",
  "Simulation",
  "Sports",
  "Stealth",
  "Strategy",
  "Survival",
  "Tower Defense",
  "Visual Novel",
  "VR",
  "Other",
];

export const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** The categories a new database starts with; an admin can add more. */
export async function ensureCategories(deps: Deps): Promise<void> {
  if ((await deps.store.read(allCategories)).length > 0) return;
  await deps.store.write(async (tx) => {
    if ((await allCategories(tx)).length > 0) return;
    for (const name of shipped) await insertCategory(tx, { id: tx.newId(), name, slug: slugOf(name) });
  });
}
