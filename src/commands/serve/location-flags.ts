import { flag } from "../../cli/define.ts";

/** Flags that select a server's data. */
export const location = {
  data: flag.text("The server's data directory (default: in the user's data directory)", { value: "DIR" }),
  databaseUrl: flag.text("Use this PostgreSQL database instead of SQLite", { value: "URL" }),
};
