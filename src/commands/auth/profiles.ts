import { arg, type Context, define, flag, prose, type Row, viewOf } from "../../cli/define.ts";
import { notFound, notSignedIn, usage } from "../../errors.ts";
import { warnOfOthers } from "./account.ts";

const view = viewOf<Row<"profile" | "baseUrl" | "inUse" | "hasKey">>(
  ["profile", prose("instance:baseUrl"), "active:inUse", "has key:hasKey"],
  { empty: "No saved profiles. Run `playtest login`." },
);

const profilesOf = (ctx: Context) => {
  const { profiles } = ctx.store.config();
  const current = ctx.settings().profile.value;
  return Object.entries(profiles).map(([profile, { baseUrl = null }]) => ({
    profile,
    baseUrl,
    inUse: profile === current,
    hasKey: baseUrl !== null && ctx.store.placeOfKey({ baseUrl, profile }) !== undefined,
  }));
};

const list = define({
  name: "list",
  aliases: ["ls"],
  summary: "List saved profiles",
  examples: ["playtest auth list"],
  run: async (_, ctx) => ctx.rows("profiles", profilesOf(ctx), view),
});

const switchProfile = define({
  name: "switch",
  summary: "Switch to another profile",
  args: { profile: arg.optional("Profile name") },
  examples: ["playtest auth switch work"],
  async run({ args }, ctx) {
    const names = Object.keys(ctx.store.config().profiles);
    const choices = names.map((name) => ({ value: name, name }));
    const profile = args.profile ?? (await ctx.prompt.choose("Profile:", choices, "Pass the name of the profile."));
    if (!names.includes(profile)) throw usage(`Profile ${profile} not found.`, `Profiles: ${names.join(", ") || "none"}.`);
    const { profile: given = profile } = ctx.flags;
    if (given !== profile)
      throw usage(
        `--profile names ${given}, but the profile to switch to is ${profile}. Nothing was changed.`,
        "Leave out --profile.",
      );
    await ctx.store.saveConfig((config) => {
      config.profile = profile;
    });
    warnOfOthers(ctx, profile);
    return ctx.text(`Switched to profile ${profile}.`, { result: { profile } });
  },
});

const logout = define({
  name: "logout",
  summary: "Remove the stored key (does not revoke it)",
  flags: { all: flag.toggle("Remove all stored keys") },
  examples: ["playtest logout", "playtest logout --profile work"],
  async run({ flags }, ctx) {
    const profile = ctx.settings().profile.value;
    // The stored keys themselves, because a profile may have another address since its key was stored, or may be gone.
    const logins = ctx.store.logins().filter((login) => flags.all || login.profile === profile);
    if (logins.length === 0) throw notFound(flags.all ? "No key is stored." : `No key is stored for profile ${profile}.`);
    for (const login of logins) await ctx.store.removeKey(login);
    const removed = [...new Set(logins.map((login) => login.profile))];
    await ctx.store.saveConfig((config) => {
      for (const name of flags.all ? Object.keys(config.profiles) : removed) delete config.profiles[name];
      if (config.profile && !(config.profile in config.profiles)) delete config.profile;
    });
    return ctx.text(`Removed the stored key of ${removed.join(", ")}. To revoke a key: \`playtest auth keys revoke\`.`, {
      result: { profiles: removed },
    });
  },
});

const token = define({
  name: "token",
  summary: "Print the API key in use",
  private: true,
  flags: { secretFile: flag.text("Write the key to a new file that only you can read", { value: "FILE" }) },
  examples: ["playtest auth token", "playtest auth token --secret-file key.txt"],
  exits: [4],
  async run({ flags }, ctx) {
    const key = ctx.settings().apiKey();
    if (!key) throw notSignedIn("No API key is stored for this instance and profile.");
    return ctx.secret(key.value, flags.secretFile, { result: { apiKey: key.value, from: key.from } });
  },
});

export const profilesCommands = [switchProfile, list, logout, token];
