import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { page, readableText } from "../fields.ts";
import { orderReply } from "../playtests.ts";
import { approvalStatuses } from "../states/index.ts";
import { approval } from "./order-approval.ts";

const owner = { access: ["game_owner"], extension: true } as const;

export const orderApprovals = {
  listOrderApprovals: endpoint("GET /approvals", {
    ...owner,
    summary: "List the orders that wait for approval, and those that did",
    query: z.object({
      ...page,
      status: z.enum(approvalStatuses).optional().meta({ description: "Only those with this status." }),
    }),
    list: true,
    reply: z.strictObject({ approvals: z.array(approval) }),
  }),
  getOrderApproval: endpoint("GET /approvals/:id", {
    ...owner,
    summary: "Show an order that waits for approval, or did",
    reply: z.strictObject({ approval }),
  }),
  approveOrder: endpoint("POST /approvals/:id/approve", {
    ...owner,
    refusesBudgeted: true,
    summary: "Approve an order of an API key: places it",
    risk: "spend",
    status: 201,
    reply: z.strictObject({ approval, order: orderReply }),
    errors: ["PAYMENT_REQUIRED", "BUDGET_EXCEEDED", "NOT_CONFIGURED"],
  }),
  declineOrder: endpoint("POST /approvals/:id/decline", {
    ...owner,
    refusesBudgeted: true,
    summary: "Decline an order of an API key",
    risk: "destroy",
    body: z
      .strictObject({ reason: readableText(1000).optional().meta({ description: "Why, for whoever ordered." }) })
      .prefault({}),
    reply: z.strictObject({ approval }),
  }),
};
