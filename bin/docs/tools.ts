import { tools } from "../../server/mcp/tools/index.ts";
import { code, table } from "./markdown.ts";

/** The tools of the Model Context Protocol with their toolsets, arguments and what they answer with. */
export const toolTable = () =>
  table(
    ["tool", "toolset", "what it does", "arguments"],
    tools.map(({ name, toolset, description, input }) => [
      code(name),
      code(toolset),
      description,
      Object.entries(input)
        .map(([field, schema]) => (schema.safeParse(undefined).success ? `[${code(field)}]` : code(field)))
        .join(", "),
    ]),
  );
