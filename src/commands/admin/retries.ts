import { arg, type Context, define, flag } from "../../cli/define.ts";
import { CliError, exitCodes, usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { listDone, partialFailure, type Results, several } from "../shared/several.ts";
import { failedJobView, mailView } from "./view.ts";

/** Emails that could not be sent and background jobs that failed for good: list them, and have them tried again. */

const mailList = define({
  name: "mail list",
  summary: "List the emails of the server and whether they were sent",
  description:
    "Texts of emails are not shown. An email that the mail server refuses for reasons of its own, such as an exceeded quota, is waiting: it is retried for four days. An email whose mailbox or contents are refused has failed.",
  operation: "listMails",
  query: "listMails",
  list: true,
  examples: ["playtest admin mail list --state failed", "playtest admin mail list --state waiting --json"],
  view: mailView,
});

const mailRetry = define({
  name: "mail retry",
  summary: "Send waiting or failed emails now",
  operation: ["retryMail", "listMails"],
  args: { mails: { ...arg.ids("Email ids", { pick: "listMails", label: "subject" }), optional: true } },
  flags: { all: flag.toggle("All failed emails, except those whose links have expired") },
  confirm: false,
  exits: [exitCodes.partial],
  examples: ["playtest admin mail retry 4f6a1b2c", "playtest admin mail retry --all"],
  async run({ args, flags }, ctx) {
    const results = await retryEach(ctx, args.mails, flags.all, {
      all: () => idsIn(ctx.pages("listMails", { query: { state: "failed" } }, { all: true })),
      retry: async (id) => (await ctx.api().retryMail({ params: { id } })).mail,
    });
    const { length } = results.done;
    ctx.out.note(length === 0 ? "No email was sent again." : `${plural(length, "email")} will be sent in a moment.`);
    return listDone(ctx, "mails", results, mailView, partialFailure(results, "email", "retried"));
  },
});

const failedJobs = define({
  name: "jobs",
  summary: "List the background jobs that failed for good, and what each was for",
  description:
    "A job that fails is tried 25 times within about four days. Remove the cause, then run `playtest admin jobs retry`.",
  operation: "listFailedJobs",
  list: true,
  examples: ["playtest admin jobs", "playtest admin jobs --json"],
  view: failedJobView,
});

const jobsRetry = define({
  name: "jobs retry",
  summary: "Retry background jobs that failed for good",
  operation: ["retryJob", "listFailedJobs"],
  args: { jobs: { ...arg.ids("Job ids", { pick: "listFailedJobs", label: "purpose" }), optional: true } },
  flags: { all: flag.toggle("All jobs that failed for good") },
  confirm: false,
  exits: [exitCodes.partial],
  examples: ["playtest admin jobs retry 4f6a1b2c", "playtest admin jobs retry --all"],
  async run({ args, flags }, ctx) {
    const results = await retryEach(ctx, args.jobs, flags.all, {
      all: () => idsIn(ctx.pages("listFailedJobs", {}, { all: true })),
      retry: async (id) => (await ctx.api().retryJob({ params: { id } })).job,
    });
    const { length } = results.done;
    ctx.out.note(length === 0 ? "No job was queued again." : `${plural(length, "job")} will run in a moment.`);
    const view = { columns: failedJobView.columns.slice(0, 2) };
    return listDone(ctx, "jobs", results, view, partialFailure(results, "job", "retried"));
  },
});

interface Retrying<T> {
  all(): Promise<string[]>;
  retry(id: string): Promise<T>;
}

async function idsIn(pages: ReturnType<Context["pages"]>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { items } of pages) ids.push(...(items as { id: string }[]).map(({ id }) => id));
  return ids;
}

/** Retries those that are named, or all of them. With --all, what cannot be retried any more is said and left out. */
async function retryEach<T>(ctx: Context, named: readonly string[], all: boolean, list: Retrying<T>): Promise<Results<T>> {
  if ((named.length === 0) === !all) throw usage("Pass either ids or --all.");
  const leaveOut = (id: string) => (error: unknown) => {
    if (!all || !(error instanceof CliError) || error.exitCode !== exitCodes.conflict) throw error;
    ctx.out.warn(`${id}: ${error.message}`);
    return [];
  };
  const ids = [...new Set(all ? await list.all() : named)];
  const results = await several(ctx, ids, (id) => list.retry(id).then((one) => [one], leaveOut(id)));
  return { ...results, done: results.done.flat() };
}

export const retriesCommands = [mailList, mailRetry, failedJobs, jobsRetry];
