import { define, detail, type ItemOf, viewOf } from "../../cli/define.ts";
import { countryName } from "../../contract/text/country.ts";
import { usage } from "../../errors.ts";

const view = viewOf<ItemOf<"getMe">>([
  detail("email"),
  detail("role"),
  detail("verified:emailVerified"),
  detail("name:profile.displayName"),
  detail("company:profile.companyName"),
  detail("website:profile.websiteUrl"),
  detail("experience:profile.gamingExperience"),
  detail("name in published videos:profile.publishedName"),
  detail("time zone:profile.timeZone"),
  detail("country", ({ profile }) => (profile?.country ? countryName(profile.country) : undefined)),
  detail("languages:profile.languages"),
  detail("devices:profile.devices"),
  detail("age band:profile.ageBand"),
  detail("created:createdAt"),
]);

const profileShow = define({
  name: "profile show",
  aliases: ["profile"],
  summary: "Show your profile",
  operation: "getMe",
  examples: ["playtest auth profile show", "playtest auth profile show --json=displayName"],
  view,
});

const profileUpdate = define({
  name: "profile update",
  summary: "Change your name, company, website, time zone, or what you play with",
  operation: "updateProfile",
  body: "updateProfile",
  examples: [
    "playtest auth profile update --display-name Ada --company-name 'Moon Games'",
    "playtest auth profile update --time-zone Europe/Berlin",
    "playtest auth profile update --country DE --languages de,en --devices PC,Android --age-band 25-34",
    "playtest auth profile update --clear website-url",
  ],
  async run({ body }, ctx) {
    if (Object.keys(body).length === 0) throw usage("No changes given.", "See `playtest auth profile update --help`.");
    const data = await ctx.api().updateProfile({ body });
    return ctx.message(data);
  },
});

export const profileCommands = [profileShow, profileUpdate];
