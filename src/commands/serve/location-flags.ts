import { flag } from "../../cli/define.ts";

/** Which database a command is about. */
export const location = {
  data: flag.text("The server's data folder (default the user's data folder)", { value: "DIR" }),
  databaseUrl: flag.text("postgres://… instead of the SQLite file", { value: "URL" }),
};
