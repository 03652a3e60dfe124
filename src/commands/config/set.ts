import { arg, define, flag } from "../../cli/define.ts";
import { parseSetting, settingNames } from "../../config/settings.ts";
import { settingName } from "./get.ts";

export const set = define({
  name: "set",
  summary: "Set a value in the current profile, or for this directory",
  risk: "local",
  args: { setting: arg.choice(settingNames), value: arg.optional("New value; omit it to remove the setting") },
  flags: { directory: flag.toggle("Write to the .playtest.json of this directory instead") },
  examples: [
    "playtest config set timeout 1m",
    "playtest config set --directory gameId 0190a1b2-…",
    "playtest config set baseUrl",
  ],
  async run({ args, flags }, ctx) {
    const name = settingName(args.setting);
    const value = args.value === undefined ? undefined : parseSetting(name, args.value, name);
    const changed = value === undefined ? `Removed ${name} from` : `Set ${name} to ${value} in`;
    if (flags.directory) {
      const path = await ctx.saveInDirectory({ [name]: value });
      return ctx.text(`${changed} ${path}.`, { result: { [name]: value ?? null, path } });
    }
    const profile = ctx.settings().profile.value;
    await ctx.store.saveConfig((config) => {
      const { [name]: _, ...rest } = config.profiles[profile] ?? {};
      config.profiles[profile] = value === undefined ? rest : { ...rest, [name]: value };
    });
    return ctx.text(`${changed} profile ${profile}.`, {
      result: { [name]: value ?? null, profile },
    });
  },
});
