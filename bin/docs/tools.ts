import type * as z from "zod";
import { argumentsOf } from "../../server/mcp/tool.ts";
import { tools } from "../../server/mcp/tools/index.ts";
import { code, table } from "./markdown.ts";

/** The tools of the Model Context Protocol with their toolsets, arguments and what they answer with. */
export const toolTable = () =>
  table(
    ["tool", "toolset", "what it does", "arguments"],
    tools.map((tool) => [
      code(tool.name),
      code(tool.toolset),
      tool.description,
      Object.entries(argumentsOf(tool).shape)
        .map(([field, schema]) => ((schema as z.ZodType).safeParse(undefined).success ? `[${code(field)}]` : code(field)))
        .join(", "),
    ]),
  );
