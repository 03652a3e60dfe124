import { define, prose, type Row, viewOf } from "../../cli/define.ts";
import { type Settings, settingNames } from "../../config/settings.ts";
import { CliError } from "../../errors.ts";

const view = viewOf<Row<"name" | "value" | "source" | "from">>(["setting:name", prose("value"), "source", prose("from")]);
const known: readonly string[] = ["profile", ...settingNames];

/** Whether an API key is set, never its value. A key that must not be sent is listed too, and its error ends the command. */
function keyOf(settings: Settings): { row: Row<"name" | "value" | "source" | "from">; failure?: CliError } {
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
  summary: "Print every setting and where its value comes from",
  description: "Precedence, highest first: flag, environment variable, .playtest.json, profile, default.",
  examples: ["playtest config explain", "PLAYTEST_TIMEOUT=5 playtest config explain --json"],
  async run(_, ctx) {
    const settings = ctx.settings();
    const rows = settingNames.map((name) => ({ name, ...(settings.get(name) ?? { value: null, source: "unset", from: "" }) }));
    const { row: key, failure } = keyOf(settings);
    const unknown = Object.keys(settings.directoryFile?.values ?? {}).filter((name) => !known.includes(name));
    const ignored = unknown.map((name) => ({ name, value: null, source: "not a setting", from: settings.directoryFile!.path }));
    return { ...ctx.rows("settings", [{ name: "profile", ...settings.profile }, ...rows, key, ...ignored], view), failure };
  },
});
