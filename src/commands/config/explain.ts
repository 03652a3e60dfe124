import { settingNames } from "../../config/settings.ts";
import { col, define, type View } from "../define.ts";

const view: View = { columns: [col("setting", "name"), col("value", "value"), col("source", "source"), col("from", "from")] };

export const explain = define({
  name: "explain",
  summary: "Print every setting with where it comes from",
  description: "A flag wins over the environment, that over .playtest.json, that over the profile, that over the default.",
  examples: ["playtest config explain", "PLAYTEST_TIMEOUT=5 playtest config explain --json"],
  async run(_, ctx) {
    const settings = ctx.settings();
    const rows = settingNames.map((name) => ({ name, ...(settings.get(name) ?? { value: null, source: "unset", from: "" }) }));
    const key = settings.apiKey();
    const keyRow = { name: "apiKey", value: key ? "set" : null, source: key?.source ?? "unset", from: key?.from ?? "" };
    return ctx.rows("settings", [{ name: "profile", ...settings.profile }, ...rows, keyRow], view);
  },
});
