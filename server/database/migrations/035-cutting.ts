import { enumerated } from "./002-enumerations.ts";

/**
 * For whom a job works, where those of many accounts take turns (null: for the server). The limit of the server because of which a clip or
 * a still could not be cut.
 */
export const cutting = {
  name: "035-cutting",
  statements: [
    "ALTER TABLE jobs ADD COLUMN account TEXT",
    "ALTER TABLE clips ADD COLUMN limited_by TEXT",
    "ALTER TABLE stills ADD COLUMN limited_by TEXT",
    ...enumerated("clips", { limited_by: ["memory", "time", "picture", "size"] }),
    ...enumerated("stills", { limited_by: ["memory", "time", "picture", "size"] }),
  ],
};
