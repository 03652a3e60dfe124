import * as z from "zod";
import { plural } from "../../../src/contract/text/plural.ts";
import { reviewLimitHeader } from "../../../src/contract/text/review-limit.ts";
import { ApiError } from "../../lib/api-error.ts";
import { tool } from "../tool.ts";
import { id } from "./fields.ts";

export const review = tool({
  name: "review",
  toolset: "review",
  description: "Accept a submission, which pays the playtester, or reject it with a reason that they see.",
  input: {
    slot: id(),
    decision: z.enum(["accept", "reject"]),
    rating: z.int().min(1).max(5).optional(),
    reason: z.string().max(1000).optional(),
  },
  output: { slot: z.string(), status: z.string(), reviewsPerDay: z.int() },
  destructive: true,
  async run({ slot, decision, rating, reason }, { host }) {
    const params = { id: slot };
    const headers = { [reviewLimitHeader]: String(host.reviewsPerDay) };
    if (decision === "reject" && !reason?.trim())
      throw new ApiError("VALIDATION_ERROR", "reason is required to reject. Nothing was changed.");
    if (decision === "accept") await host.call("acceptSlot", { params, headers, body: { rating, comment: reason } });
    else await host.call("rejectSlot", { params, headers, body: { reason } });
    // It is decided: an error would say that it is not.
    const status = await host.call("getSlot", { params }).then(
      ({ data }) => data.slot.status,
      () => (decision === "accept" ? "accepted" : "rejected"),
    );
    const { reviewsPerDay } = host;
    return {
      lines: [`${slot} is ${status}. At most ${plural(reviewsPerDay, "review")} a day here.`],
      data: { slot, status, reviewsPerDay },
    };
  },
});
