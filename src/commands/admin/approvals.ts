import type { Data } from "../../api/client.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { notFound } from "../../errors.ts";
import { approvalView, trialView, videoView } from "./view.ts";

type Approval = Data<"listApprovals">["approvals"][number];

const approvalArg = () => arg.text("Id of the playtest or slot, as listed by `admin approvals`");

/** The pending approval with this id, in full or short form. */
async function pendingApproval(ctx: Context, text: string): Promise<Approval> {
  const short = /^[0-9a-f]{8}$/i.test(text);
  const matches = (id: string | null) => id !== null && (id === text || (short && id.endsWith(text.toLowerCase())));
  for await (const { data } of ctx.pages("listApprovals", {}, { all: true })) {
    const found = data.approvals.find(({ slotId, playtestId }) => matches(slotId ?? playtestId));
    if (found) return found;
  }
  throw notFound(`No pending approval has the id ${text}.`, "To list valid ids: `playtest admin approvals`.");
}

const approvals = define({
  name: "approvals",
  summary: "List free trials and videos awaiting approval",
  operation: "listApprovals",
  list: true,
  examples: ["playtest admin approvals"],
  view: approvalView,
});

const showApproval = define({
  name: "approvals show",
  summary: "Show a pending approval, with a link to the video",
  operation: "listApprovals",
  args: { item: approvalArg() },
  examples: ["playtest admin approvals show 0d9c41f2", "playtest admin approvals show 0d9c41f2 --jq .approval.videoUrl"],
  run: async ({ args }, ctx) => ctx.item({ approval: await pendingApproval(ctx, args.item) }, approvalView),
});

const approve = define({
  name: "approvals approve",
  aliases: ["approve"],
  summary: "Approve a free trial or a public video",
  operation: ["approvePlaytest", "approveVideo", "listApprovals"],
  args: { item: approvalArg() },
  examples: ["playtest admin approvals approve 0d9c41f2"],
  async run({ args }, ctx) {
    const { slotId, playtestId } = await pendingApproval(ctx, args.item);
    if (!slotId) {
      const approved = await ctx.api().approvePlaytest({ params: { id: playtestId } });
      ctx.out.note("Approved. It can be offered to playtesters now.");
      return ctx.item(approved, trialView);
    }
    const approved = await ctx.api().approveVideo({ params: { id: slotId } });
    const isAccepted = approved.slot.status === "publishing";
    ctx.out.note(
      isAccepted ? "Approved. The video is being published." : "Approved. It will be published when its owner accepts it.",
    );
    return ctx.item(approved, videoView);
  },
});

const reject = define({
  name: "approvals reject",
  aliases: ["reject"],
  summary: "Reject a free trial or a public video",
  operation: ["rejectPlaytest", "rejectVideo", "listApprovals"],
  args: { item: approvalArg() },
  flags: { reason: flag.text("Reason, shown to the people concerned") },
  examples: ["playtest admin approvals reject 0d9c41f2 --reason 'The video has no sound'"],
  async run({ args, flags }, ctx) {
    const { slotId, playtestId } = await pendingApproval(ctx, args.item);
    const body = flags.reason === undefined ? {} : { reason: flags.reason };
    if (slotId) return ctx.item(await ctx.api().rejectVideo({ params: { id: slotId }, body }), videoView);
    return ctx.item(await ctx.api().rejectPlaytest({ params: { id: playtestId }, body }), trialView);
  },
});

export const approvalsCommands = [approvals, showApproval, approve, reject];
