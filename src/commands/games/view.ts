import { detail, type ItemOf, type View, viewOf } from "../../cli/define.ts";
import { columnValue } from "../../io/cells.ts";

const names = (key: string) => (game: Record<string, unknown>) =>
  (game[key] as { name: string }[] | undefined)?.map(({ name }) => name);

interface Lists {
  devices?: unknown;
  platforms?: unknown;
  languages?: unknown;
}

export const gameView = viewOf<ItemOf<"listGames">>(
  [
    "id",
    "name",
    "status",
    "devices",
    "updated:updatedAt",
    detail("build url:buildUrl"),
    detail("description"),
    detail("instructions"),
    detail("categories", names("categories")),
    detail("platforms"),
    detail("languages"),
    detail("cover image:coverImageUrl"),
    detail("external url:externalUrl"),
    detail("created:createdAt"),
  ],
  { empty: "No games yet. Create one with `playtest games create`." },
);

/** A game that was created or changed. What was sent stands for the lists that the reply need not contain; what neither has is left out. */
export function changedGameView({ devices, platforms, languages }: Lists, game: Record<string, unknown>): View {
  const shown = { devices, platforms, languages, ...game };
  const columns = gameView.columns.map((column) => ({ ...column, value: () => columnValue(column, shown) }));
  return { columns: columns.filter(({ value }) => value() !== undefined) };
}

export const buildView = viewOf<ItemOf<"listBuilds">>(["id", "version", "channel", "size", "created:createdAt", "url:buildUrl"], {
  empty: "This game has no builds.",
});
