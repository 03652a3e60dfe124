import { col, define, prose, type View } from "../../cli/define.ts";
import { type Settings, settingNames } from "../../config/settings.ts";
import { CliError } from "../../errors.ts";

const view: View = {
  columns: [col("setting", "name"), prose("value", "value"), col("source", "source"), prose("from", "from")],
};
const known: readonly string[] = ["profile", ...settingNames];

/** Whether there is a key, never which; one that may not be sent is explained as well, and then refused. */
function keyOf(settings: Settings): { row: object; failure?: CliError } {
  try {
    const { source = "unset", from = "", value } = settings.apiKey() ?? {};
    return { row: { name: "apiKey", value: value === undefined ? null : "set", source, from } };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { row: { name: "apiKey", value: "not used", source: "refused", from: "" }, failure: error };
  }
}

export const explain = define({
  name: "explain",
  summary: "Print every setting with where it comes from",
  description: "A flag wins over the environment, that over .playtest.json, that over the profile, that over the default.",
  examples: ["playtest config explain", "PLAYTEST_TIMEOUT=5 playtest config explain --json"],
  async run(_, ctx) {
    const settings = ctx.settings();
    const rows = settingNames.map((name) => ({ name, ...(settings.get(name) ?? { value: null, source: "unset", from: "" }) }));
    const { row: key, failure } = keyOf(settings);
    const unknown = Object.keys(settings.directoryFile?.values ?? {}).filter((name) => !known.includes(name));
    const others = unknown.map((name) => ({ name, value: null, source: "not a setting", from: settings.directoryFile!.path }));
    return { ...ctx.rows("settings", [{ name: "profile", ...settings.profile }, ...rows, key, ...others], view), failure };
  },
});
