import type { LocationReport } from "../../../server/config/data-location.ts";

/** Which database and data directory a command used, and which flag or variable selected them. */
export const locationText = ({ database, databaseFrom, dataDir, dataDirFrom }: LocationReport) =>
  `Database: ${database} (${databaseFrom})\nData directory: ${dataDir} (${dataDirFrom})`;
