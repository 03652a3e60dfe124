import { enumerated } from "./002-enumerations.ts";

const adapters = ["own", "youtube", "peertube"];
const tables = ["publications", "publication_consents", "publisher_connections"];

/** PeerTube as a place to publish, and what a platform said itself about a failure, which is for operators. */
export const peertube = {
  name: "046-peertube",
  statements: [
    "ALTER TABLE publications ADD COLUMN detail TEXT",
    ...tables.map((table) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_adapter_check`),
    ...tables.flatMap((table) => enumerated(table, { adapter: adapters })),
  ],
};
