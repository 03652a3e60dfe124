import type { Host } from "../host.ts";
import type { Tool } from "../tool.ts";
import { status } from "./account.ts";
import { pushBuild } from "./build.ts";
import { getSubmission, readTranscript, searchFeedback } from "./feedback.ts";
import { createFinding, listFindings } from "./findings.ts";
import { getPlaytest, listGames, listPlaytests } from "./games.ts";
import { orderPlaytest, quoteOrder } from "./order.ts";
import { review } from "./review.ts";
import { waitFor } from "./wait.ts";

/** Every tool, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  status,
  listGames,
  listPlaytests,
  getPlaytest,
  getSubmission,
  readTranscript,
  searchFeedback,
  listFindings,
  waitFor,
  quoteOrder,
  orderPlaytest,
  pushBuild,
  review,
  createFinding,
];

/** The tools of a host: those of its toolsets that work there. */
export const toolsOf = ({ allowed, pushBuild: push }: Pick<Host, "allowed" | "pushBuild">): Tool[] =>
  tools.filter(({ toolset, local }) => allowed.has(toolset) && (!local || push !== undefined));
