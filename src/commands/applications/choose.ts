import type { Data } from "../../api/client.ts";
import type { Context } from "../../cli/define.ts";

export type Application = Data<"listApplications">["applications"][number];

export const orders = ["rating", "accepted", "oldest"] as const;
export type By = (typeof orders)[number];

const number = (text: string | null) => (text === null || text === "" ? -1 : Number(text));
const byAge = (a: Application, b: Application) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);

const compare: Record<By, (a: Application, b: Application) => number> = {
  rating: (a, b) => number(b.ratingAverage) - number(a.ratingAverage) || byAge(a, b),
  accepted: (a, b) => number(b.acceptedCount) - number(a.acceptedCount) || byAge(a, b),
  oldest: byAge,
};

/** The best `count` pending applications, best first; among equals, the oldest first. */
export const top = (applications: readonly Application[], count: number, by: By): Application[] =>
  applications
    .filter(({ status }) => status === "pending")
    .sort(compare[by])
    .slice(0, count);

/** Every application to a playtest. */
export async function applicationsTo(ctx: Context, playtest: string): Promise<Application[]> {
  const all: Application[] = [];
  for await (const { items } of ctx.pages("listApplications", { params: { id: playtest } }, { all: true }))
    all.push(...(items as Application[]));
  return all;
}
