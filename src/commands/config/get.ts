import { arg, define } from "../../cli/define.ts";
import { settingNames } from "../../config/settings.ts";
import { usage } from "../../errors.ts";

/** The name of a setting, or a usage error. */
export function settingName(text: string) {
  const name = settingNames.find((known) => known === text);
  if (!name) throw usage(`Unknown setting ${JSON.stringify(text)}.`, `Settings: ${settingNames.join(", ")}.`);
  return name;
}

export const get = define({
  name: "get",
  summary: "Print the effective value of a setting",
  args: { setting: arg.choice(settingNames) },
  examples: ["playtest config get baseUrl"],
  async run({ args }, ctx) {
    const name = settingName(args.setting);
    const value = ctx.settings().get(name)?.value ?? null;
    return ctx.verbatim(String(value ?? ""), { result: { [name]: value } });
  },
});

export const list = define({
  name: "list",
  summary: "Print the effective value of every setting",
  examples: ["playtest config list --json"],
  async run(_, ctx) {
    const set = settingNames.flatMap((name) => {
      const found = ctx.settings().get(name);
      return found ? [[name, found.value] as const] : [];
    });
    return ctx.verbatim(set.map(([name, value]) => `${name}=${value}`).join("\n"), { result: Object.fromEntries(set) });
  },
});

export const path = define({
  name: "path",
  summary: "Print the path of the settings file",
  examples: ["playtest config path"],
  run: async (_, ctx) => ctx.verbatim(ctx.store.path, { result: { path: ctx.store.path } }),
});
