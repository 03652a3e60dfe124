import { define, flag } from "../../cli/define.ts";
import { chosen, noteVersions, versionFlag } from "../shared/agreement.ts";
import { consentView } from "./view.ts";

const agreementShow = define({
  name: "agreement show",
  summary: "Show the agreement of this server",
  description: "Playtesters accept it before they claim a slot of a game without an agreement of its own.",
  operation: "getServerAgreement",
  flags: { version: versionFlag },
  examples: ["playtest admin agreement show", "playtest admin agreement show --version 1"],
  async run({ flags }, ctx) {
    const data = await ctx.api().getServerAgreement({});
    const shown = chosen(data, flags.version);
    if (shown === null) {
      noteVersions(ctx, data.versions, undefined, "Earlier versions");
      return ctx.text("This server has no agreement.", data);
    }
    ctx.out.note(`Version ${shown.version}.`);
    noteVersions(ctx, data.versions, shown.version);
    return ctx.text(shown.text, data);
  },
});

const agreementSet = define({
  name: "agreement set",
  summary: "Publish the agreement of this server",
  description: "A changed text is a new version, which every playtester must accept before the next claim.",
  operation: "putServerAgreement",
  flags: { file: { ...flag.text("File with the text; - for standard input", { value: "FILE" }), required: true } },
  examples: ["playtest admin agreement set --file nda.md"],
  async run({ flags }, ctx) {
    const text = await ctx.io.readText(flags.file!, "--file");
    const data = await ctx.api().putServerAgreement({ body: { text } });
    return ctx.text(`Version ${data.agreement?.version} is in force.`, data);
  },
});

const agreementEnd = define({
  name: "agreement end",
  summary: "End the agreement of this server",
  description: "Earlier versions and who accepted them are kept.",
  operation: "deleteServerAgreement",
  examples: ["playtest admin agreement end"],
  run: async (_, ctx) => ctx.text("This server has no agreement now.", await ctx.api().deleteServerAgreement({})),
});

const consents = define({
  name: "consents",
  operation: "listConsents",
  query: "listConsents",
  list: true,
  examples: ["playtest admin consents", "playtest admin consents --all --csv > consents.csv"],
  view: consentView,
});

export const agreementCommands = [agreementShow, agreementSet, agreementEnd, consents];
