import { access } from "node:fs/promises";
import { join } from "node:path";
import { define, type Row, viewOf } from "../../cli/define.ts";
import { workflows } from "./workflows.ts";

const view = viewOf<Row<"ci" | "path" | "written">>(["ci", "workflow file:path", "written"]);

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

export const list = define({
  name: "list",
  aliases: ["ls"],
  summary: "List the supported CI systems and whether their workflow file exists here",
  examples: ["playtest ci list"],
  async run(_, ctx) {
    const rows = Object.entries(workflows).map(async ([ci, { path }]) => ({
      ci,
      path,
      written: await exists(join(ctx.io.cwd(), path)),
    }));
    return ctx.rows("workflows", await Promise.all(rows), view);
  },
});
