import { resolve } from "node:path";
import { define, flag } from "../../cli/define.ts";
import { writeNew } from "./new-files.ts";

export const dashboards = define({
  name: "dashboards",
  summary: "Write alert rules for Prometheus and a dashboard for Grafana",
  description:
    "playtest-alerts.yml is a file of rules for Prometheus, and playtest-dashboard.json is imported in Grafana. Both read the metrics of the " +
    "server, which a setting turns on: `playtest help server`. Existing files are not replaced.",
  risk: "local",
  args: {},
  flags: { to: flag.text("Folder to write to (default: the current one)", { value: "DIR" }) },
  examples: ["playtest serve dashboards --to /etc/prometheus"],
  async run({ flags: { to = "." } }, ctx) {
    const { alertRules, scrapeJob } = await import("../../../server/operations/dashboards/alerts.ts");
    const { grafanaDashboard } = await import("../../../server/operations/dashboards/grafana.ts");
    const files = [
      { name: "playtest-alerts.yml", text: alertRules() },
      { name: "playtest-dashboard.json", text: grafanaDashboard(scrapeJob) },
    ];
    const folder = resolve(ctx.io.cwd(), to);
    const names = files.map(({ name }) => name);
    const result = { folder, files: names };
    if (ctx.flags.dryRun) return ctx.text(`${names.join(", ")} would be written in ${to}. Nothing was changed.`, { result });
    await writeNew(folder, files);
    return ctx.text(`Wrote ${names.join(", ")} in ${to}.`, { result });
  },
});
