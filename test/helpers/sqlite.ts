import { loadSqlite } from "../../server/database/sqlite/package.ts";

/** Opens data files past the server, as other programs do. */
export const Database = await loadSqlite();
