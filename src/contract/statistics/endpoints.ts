import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { cents, extension, id, timestamp } from "../fields.ts";
import { deviceNames } from "../games.ts";
import { slotStatuses } from "../states/index.ts";

const count = () => z.int().min(0);
const share = (description: string) => z.number().min(0).max(1).nullable().meta({ description });

const query = () =>
  z.object({
    game: id().optional().meta({ description: "Only this game." }),
    since: timestamp().optional().meta({ description: "Only from this time on." }),
  });

const ratings = {
  count: count(),
  average: z.number().nullable().meta({ description: "Null without ratings." }),
};

const times = z
  .strictObject({
    count: count().meta({ description: "Slots that were measured." }),
    medianMinutes: z.number().nullable(),
    p90Minutes: z.number().nullable().meta({ description: "Nine of ten slots took no longer." }),
  })
  .meta({ id: "SlotTimes" });

const spent = {
  spentCents: cents().meta({
    description: "Credit for slots that were accepted, finally rejected, or cancelled too late for a refund.",
  }),
  spentMinutes: count().meta({ description: "Playtest minutes for such slots." }),
};
const forecast = {
  forecastCents: cents().meta({
    description: "Credit that is held for slots that have not ended: what they cost if all are accepted.",
  }),
  forecastMinutes: count().meta({ description: "Playtest minutes that are held for such slots." }),
};

export const statistics = {
  getStatistics: endpoint("GET /stats", {
    access: ["game_owner"],
    extension: true,
    summary: "Show ratings, times and rates of your playtests",
    query: query(),
    reply: z.strictObject({
      gameId: id().nullable(),
      since: timestamp(),
      slots: z
        .strictObject({
          total: count(),
          ...(Object.fromEntries(slotStatuses.map((status) => [status, count()])) as Record<
            (typeof slotStatuses)[number],
            z.ZodInt
          >),
        })
        .meta({ description: "Slots that were created since, by status." }),
      isPartial: z.boolean().meta({ description: "Whether only the newest slots were counted, because there are very many." }),
      devices: extension(
        z.array(z.strictObject({ device: z.enum(deviceNames).nullable(), count: count() })).meta({
          description:
            "Submissions by what they were played on, as playtesters said; null where they did not. The most common first.",
        }),
      ),
      acceptanceRate: share("Share of the reviewed slots that were accepted. Null without reviews."),
      retryRate: share("Share of the reviewed slots that were rejected with a retry. Null without reviews."),
      ratings: z.strictObject({
        ...ratings,
        scores: z.array(count()).length(5).meta({ description: "Number of ratings by score, the worst first." }),
        builds: z
          .array(
            z.strictObject({
              buildId: id(),
              gameId: id(),
              gameName: z.string(),
              version: z.string().nullable(),
              uploadedAt: timestamp(),
              ...ratings,
            }),
          )
          .meta({ description: "By the build that was played, the newest first." }),
        periods: z
          .array(z.strictObject({ from: timestamp(), ...ratings }))
          .meta({ description: "By week, or by month if the time is long; the oldest first." }),
      }),
      times: z.strictObject({
        claim: times.meta({ description: "From the order until a playtester claimed the slot." }),
        submit: times.meta({ description: "From the claim until the video was submitted." }),
        review: times.meta({ description: "From the video until it was accepted or rejected." }),
      }),
    }),
  }),
  getSpending: endpoint("GET /billing/spend", {
    access: ["billing"],
    extension: true,
    summary: "Show what playtests cost, by month and by game",
    query: query(),
    reply: z.strictObject({
      gameId: id().nullable(),
      since: timestamp(),
      ...spent,
      ...forecast,
      minutesLeft: z.int().meta({ description: "Playtest minutes left on the account." }),
      months: z
        .array(z.strictObject({ month: z.string().regex(/^\d{4}-\d{2}$/), ...spent }))
        .meta({ description: "The oldest first." }),
      games: z
        .array(z.strictObject({ gameId: id(), gameName: z.string(), ...spent, ...forecast }))
        .meta({ description: "Games with costs, the most expensive first." }),
    }),
  }),
};
