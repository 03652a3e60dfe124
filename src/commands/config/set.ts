import { arg, define, flag } from "../../cli/define.ts";
import { parseSetting, settingNames } from "../../config/settings.ts";
import { settingName } from "./get.ts";

export const set = define({
  name: "set",
  summary: "Set a value for the profile in use, or for this folder",
  risk: "local",
  args: { setting: arg.choice(settingNames), value: arg.optional("Its value; none removes it") },
  flags: { directory: flag.toggle("Set it in this folder's .playtest.json instead") },
  examples: [
    "playtest config set timeout 1m",
    "playtest config set --directory gameId 0190a1b2-…",
    "playtest config set baseUrl",
  ],
  async run({ args, flags }, ctx) {
    const name = settingName(args.setting);
    const value = args.value === undefined ? undefined : parseSetting(name, args.value, name);
    if (flags.directory) {
      const path = await ctx.saveInDirectory({ [name]: value });
      return ctx.text(`${name} is ${value ?? "no longer set"} in ${path}.`, { result: { [name]: value ?? null, path } });
    }
    const profile = ctx.settings().profile.value;
    await ctx.store.saveConfig((config) => {
      const { [name]: _, ...rest } = config.profiles[profile] ?? {};
      config.profiles[profile] = value === undefined ? rest : { ...rest, [name]: value };
    });
    return ctx.text(`${name} is ${value ?? "no longer set"} in profile ${profile}.`, {
      result: { [name]: value ?? null, profile },
    });
  },
});
