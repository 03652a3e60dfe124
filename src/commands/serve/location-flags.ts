import { flag } from "../../cli/define.ts";

export const config = flag.text("Configuration file (default: config.json in the data directory)", { value: "FILE" });

/** Flags that select a server's data. */
export const location = {
  data: flag.text("The server's data directory (default: in the user's data directory)", { value: "DIR" }),
  databaseUrl: flag.text("Use this PostgreSQL database instead of SQLite", { value: "URL" }),
};

/** Flags of a command that also needs the server's settings. */
export const withSettings = { ...location, config };
