import { arg, type Context, col, define, type ItemOf, viewOf } from "../../cli/define.ts";
import { usage } from "../../errors.ts";

const modes = ["on", "off", "digest"] as const;
type Mode = (typeof modes)[number];

const view = viewOf<ItemOf<"listNotificationSettings">>(["kind", col("emails:mail", "status"), "about:topic"]);

/** What an account does that no email can reach. */
async function withoutAddress(ctx: Context): Promise<string> {
  const text = "No email reaches this account: it has no confirmed address. Name one with `playtest auth email`.";
  if ((await ctx.api().getMe({})).role !== "admin") return text;
  return `${text} Without the scope \`admin\`, ask an administrator who has it for a new account: \`playtest admin admins create --email\`.`;
}

export const settings = define({
  name: "settings",
  summary: "Show which emails you get, or turn a kind on, off or into one email a day",
  description:
    "Without arguments, lists the kinds of emails you get. KIND is one of them, or all. With digest, one email a day lists what happened; " +
    "what would come too late in it is sent at once. " +
    "Emails about new playtests (new_playtests) are sent once a day to playtesters who turn them on by name; all turns them off, but not on. " +
    "Emails about the security of your account are always sent, and notifications are always recorded.",
  operation: ["listNotificationSettings", "updateNotificationSettings", "getMe"],
  risk: "write",
  args: {
    kind: arg.optional("Kind, such as slot.submitted, or all"),
    mail: { summary: "on, off or digest", optional: true, choices: modes } as ReturnType<typeof arg.optional>,
  },
  examples: [
    "playtest notifications settings",
    "playtest notifications settings slot.submitted digest",
    "playtest notifications settings all off",
  ],
  async run({ args: { kind, mail } }, ctx) {
    const api = ctx.api();
    if (kind === undefined) {
      const { settings, digestHour, address } = await api.listNotificationSettings({});
      if (address === null) ctx.out.note(await withoutAddress(ctx));
      else ctx.out.note(`The daily email is sent at ${String(digestHour).padStart(2, "0")}:00 UTC.`);
      return ctx.rows("settings", settings, view);
    }
    if (!modes.includes(mail as Mode)) throw usage("Say what to do with these emails.", "Add on, off or digest.");
    const known = (await api.listNotificationSettings({})).settings.map((one) => one.kind);
    const wanted = known.find((one) => one === kind);
    if (kind !== "all" && wanted === undefined)
      throw usage(`You get no emails about ${JSON.stringify(kind)}.`, `Use all or one of ${known.join(", ")}.`);
    const body = { mail: mail as Mode, ...(wanted && { kinds: [wanted] }) };
    return ctx.rows("settings", (await api.updateNotificationSettings({ body })).settings, view);
  },
});
