import { arg, type Context, define, flag } from "../../cli/define.ts";
import { CliError, declined, usage } from "../../errors.ts";
import { foldLines, lines } from "../../io/text.ts";
import { noteVersions } from "../shared/agreement.ts";

const refusedVersion = (error: unknown) =>
  error instanceof CliError ? error.extra.details?.find(({ field }) => field === "acceptConsent")?.message : undefined;

/** Shows the agreement of a playtest and asks. Returns the version that the person accepts. */
async function askConsent(ctx: Context, id: string, needed: string): Promise<string> {
  const otherwise = `Read it with \`playtest tester agreement ${id}\`, then pass --accept-consent ${needed}.`;
  if (!ctx.prompt.possible)
    throw usage(`This playtest has an agreement that you must accept first: version ${needed}. Nothing was changed.`, otherwise);
  const { agreement } = await ctx.api().getPlaytestAgreement({ params: { id } });
  if (agreement === null) return needed;
  ctx.out.note(`\n${foldLines(lines(agreement.text), ctx.io.columns)}\n`);
  const question = `Do you accept this agreement, version ${agreement.version}?`;
  if (!(await ctx.prompt.confirm(question, otherwise))) throw declined();
  return agreement.version;
}

/** Sends a claim or an application. Where an agreement has to be accepted first, asks and sends it again. */
export async function withConsent<T>(
  ctx: Context,
  id: string,
  given: string | undefined,
  send: (acceptConsent: string | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await send(given);
  } catch (error) {
    const needed = refusedVersion(error);
    if (needed === undefined || given !== undefined) throw error;
    return send(await askConsent(ctx, id, needed));
  }
}

export const agreement = define({
  name: "agreement",
  summary: "Show the agreement to accept before claiming a slot, or accept it",
  description:
    "With --accept, for an application that was made before the agreement was changed: accepts the version that you name.",
  operation: ["getPlaytestAgreement", "acceptAgreement"],
  args: { playtest: arg.id("Playtest id, or the name of its game", "listOffers", "game.name") },
  flags: {
    version: flag.text("Version to show that you accepted, or its number (default: the one in force)", { value: "VERSION" }),
    accept: flag.text("Accept this version, after reading it", { value: "VERSION" }),
  },
  examples: [
    "playtest tester agreement 0d9c41f2",
    "playtest tester agreement 0d9c41f2 --version 1",
    "playtest tester agreement 0d9c41f2 --accept 2-9f2c51ab",
  ],
  async run({ args, flags }, ctx) {
    const params = { id: args.playtest };
    if (flags.accept !== undefined) {
      const accepted = await ctx.api().acceptAgreement({ params, body: { version: flags.accept } });
      return ctx.text(`You accepted version ${flags.accept}.`, accepted);
    }
    const data = await ctx
      .api()
      .getPlaytestAgreement({ params, query: flags.version === undefined ? {} : { version: flags.version } });
    noteVersions(ctx, data.accepted, data.agreement?.version, "Other versions that you accepted");
    if (data.agreement === null) return ctx.text("This playtest has no agreement.", data);
    const { version, text, acceptedAt } = data.agreement;
    ctx.out.note(`Version ${version}, ${acceptedAt === null ? "not accepted yet" : "accepted"}.`);
    return ctx.text(text, data);
  },
});
