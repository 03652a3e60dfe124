import * as z from "zod";
import type { CallOperation } from "../../../src/contract/index.ts";
import { ApiError } from "../../lib/api-error.ts";
import { tool } from "../tool.ts";
import { id, text } from "./fields.ts";

const pollMs = 2_000;
const nextPollSeconds = 30;

interface State {
  reached: boolean;
  status: string;
  slots?: Record<string, number>;
  playtest?: string;
}

async function playtestState(call: CallOperation, playtestId: string, until: "submission" | "completion"): Promise<State> {
  const { status, slots } = (await call("getPlaytest", { params: { id: playtestId } })).data.playtest;
  const ended = status !== "active" && status !== "pending_payment";
  const held = Object.fromEntries(Object.entries(slots).filter(([, count]) => count > 0));
  return { reached: ended || (until === "submission" && slots.submitted > 0), status, slots: held };
}

async function approvalState(call: CallOperation, approvalId: string): Promise<State> {
  const { status, playtestId } = (await call("getOrderApproval", { params: { id: approvalId } })).data.approval;
  return { reached: status !== "pending", status, ...(playtestId !== null && { playtest: playtestId }) };
}

export const waitFor = tool({
  name: "wait_for",
  toolset: "read",
  description: "Wait for a submission to review, the end of a playtest, or the decision on an approval.",
  input: {
    playtest: id().optional(),
    approval: id().optional(),
    until: z.enum(["submission", "completion"]).default("submission"),
    seconds: z.int().min(0).max(50).default(30),
  },
  output: {
    reached: z.boolean(),
    status: z.string(),
    slots: z.record(z.string(), z.int()).optional(),
    playtest: text(),
    nextPollSeconds: z.int().optional(),
  },
  async run({ playtest, approval, until, seconds }, { host, signal }) {
    if ((playtest === undefined) === (approval === undefined))
      throw new ApiError("VALIDATION_ERROR", "Name a playtest or an approval, and not both. Nothing was done.");
    const look = () => (playtest === undefined ? approvalState(host.call, approval!) : playtestState(host.call, playtest, until));
    let state = await look();
    for (let left = seconds * 1000; left > 0 && !state.reached; left -= pollMs) {
      if (!(await host.wait(Math.min(left, pollMs), signal))) break;
      state = await look();
    }
    const slots = Object.entries(state.slots ?? {}).map(([status, count]) => `${count} ${status}`);
    return {
      lines: [`${state.reached ? "Reached" : "Not yet"}: ${[state.status, ...slots].join(", ")}.`],
      data: { ...state, ...(!state.reached && { nextPollSeconds }) },
    };
  },
});
