import { OutcomeUnknown } from "../../api/outcome.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { categoryIds } from "../../cli/names.ts";
import { CliError, usage } from "../../errors.ts";
import { requireLanguages } from "./languages.ts";
import { changedGameView, gameView } from "./view.ts";

export const update = define({
  name: "update",
  aliases: ["edit"],
  summary: "Update a game; a list replaces the existing values",
  operation: ["updateGame", "getGame", "putGameAgreement", "deleteGameAgreement"],
  body: "updateGame",
  args: { game: arg.game() },
  flags: {
    addDevice: flag.list("Add a device to the existing ones"),
    removeDevice: flag.list("Remove a device from the existing ones"),
    addPlatform: flag.list("Add a platform to the existing ones"),
    removePlatform: flag.list("Remove a platform from the existing ones"),
    consentFile: flag.text("File with the agreement that playtesters must accept before they claim a slot", { value: "FILE" }),
    noConsent: flag.toggle("End the game's own agreement"),
  },
  examples: [
    "playtest games update 4f6a1b2c --build-url https://example.com/v2.zip",
    "playtest games update --consent-file nda.md",
    "playtest games update --clear cover-image-url,external-url --add-device Linux",
  ],
  async run({ args, body, flags }, ctx) {
    const { addDevice, removeDevice, addPlatform, removePlatform } = flags;
    const params = { id: args.game };
    const change = await agreementChange(ctx, args.game, flags.consentFile, flags.noConsent);
    if (body.tags) body.tags = await categoryIds(ctx, body.tags);
    if ([addDevice, removeDevice, addPlatform, removePlatform].some((names) => names.length > 0)) {
      const { game } = await ctx.api().getGame({ params });
      const devices = changed(game.devices, addDevice, removeDevice);
      const platforms = changed(game.platforms, addPlatform, removePlatform);
      Object.assign(body, devices && { devices }, platforms && { platforms });
    }
    await requireLanguages(ctx, body);
    const isUnchanged = Object.keys(body).length === 0;
    if (isUnchanged && change === undefined) throw usage("No changes given.", "See `playtest games update --help`.");
    if (isUnchanged) {
      await change?.();
      return ctx.item(await ctx.api().getGame({ params }), gameView);
    }
    const data = await ctx.api().updateGame({ params, body });
    // Last, because it asks every playtester: what the server refuses of the fields must not publish it.
    await change?.().catch((error: unknown) => {
      throw error instanceof CliError ? afterFields(error) : error;
    });
    return ctx.item(data, changedGameView(body, data.game));
  },
});

/** What publishes or ends the agreement of a game. Undefined if neither was asked for. */
async function agreementChange(ctx: Context, id: string, file: string | undefined, end: boolean) {
  if (file !== undefined && end) throw usage("--consent-file and --no-consent cannot be used together.");
  if (end) return async () => void (await ctx.api().deleteGameAgreement({ params: { id } }));
  if (file === undefined) return undefined;
  const text = await ctx.io.readText(file, "--consent-file");
  return async () => {
    const { agreement } = await ctx.api().putGameAgreement({ params: { id }, body: { text } });
    ctx.out.note(`Version ${agreement?.version} of the agreement is in force.`);
  };
}

/** The error of an agreement that was refused after the fields were changed, or of which nobody knows whether it was. */
const afterFields = (error: CliError) => {
  const { code, exitCode, message, extra } = error;
  const rest = error instanceof OutcomeUnknown ? "" : "; the agreement was not";
  return new CliError(code, exitCode, `${message} The other fields of the game were changed${rest}.`, extra);
};

/** A set with some names added and some removed; undefined if there are none of either. */
function changed(present: readonly string[], add: readonly string[], remove: readonly string[]) {
  if (add.length + remove.length === 0) return undefined;
  return [...new Set([...present, ...add])].filter((name) => !remove.includes(name));
}
