import { define } from "../../cli/define.ts";
import { plural } from "../../io/text.ts";
import { location } from "./location-flags.ts";
import { locationText } from "./location-text.ts";
import { refused } from "./refused.ts";

export const migrate = define({
  name: "migrate",
  summary: "Apply pending database migrations",
  description: "The server also applies them when it starts.",
  risk: "local",
  args: {},
  flags: location,
  examples: [
    "playtest serve migrate --data /var/lib/playtest",
    "playtest serve migrate --database-url postgres://localhost/playtest",
  ],
  async run({ flags }, ctx) {
    const { migrateDatabase } = await import("../../../server/operations/doctor.ts");
    const options = { ...flags, env: { ...ctx.io.env } };
    const result = await migrateDatabase(options).catch((error: unknown) => Promise.reject(refused(error)));
    const { applied } = result;
    const text =
      applied.length === 0
        ? "The database is up to date."
        : `Applied ${plural(applied.length, "migration")}: ${applied.join(", ")}.`;
    return ctx.text(`${locationText(result.location)}\n${text}`, { result });
  },
});
