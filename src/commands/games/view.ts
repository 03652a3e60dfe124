import { col, detail, type View } from "../../cli/define.ts";
import { columnValue } from "../../io/cells.ts";

const names = (key: string) => (game: Record<string, unknown>) =>
  (game[key] as { name: string }[] | undefined)?.map(({ name }) => name);

interface Lists {
  devices?: unknown;
  platforms?: unknown;
  languages?: unknown;
}

export const gameView: View = {
  columns: [
    col("id", "id", "id"),
    col("name", "name"),
    col("status", "status", "status"),
    col("devices", "devices"),
    col("updated", "updatedAt", "ago"),
    detail("build url", "buildUrl"),
    detail("description", "description"),
    detail("instructions", "instructions"),
    detail("categories", names("categories")),
    detail("platforms", "platforms"),
    detail("languages", "languages"),
    detail("cover image", "coverImageUrl"),
    detail("external url", "externalUrl"),
    detail("created", "createdAt", "ago"),
  ],
  empty: "No games yet. Create one with `playtest games create`.",
};

/** A game that was created or changed. What was sent stands for the lists that the reply need not contain; what neither has is left out. */
export function changedGameView({ devices, platforms, languages }: Lists, game: Record<string, unknown>): View {
  const shown = { devices, platforms, languages, ...game };
  const columns = gameView.columns.map((column) => ({ ...column, value: () => columnValue(column, shown) }));
  return { columns: columns.filter(({ value }) => value() !== undefined) };
}

export const buildView: View = {
  columns: [
    col("id", "id", "id"),
    col("version", "version"),
    col("channel", "channel"),
    col("size", "size", "bytes"),
    col("created", "createdAt", "ago"),
    col("url", "buildUrl"),
  ],
  empty: "This game has no builds.",
};
