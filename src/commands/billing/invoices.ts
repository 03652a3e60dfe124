import { define, detail, type ItemOf, viewOf } from "../../cli/define.ts";
import type { Data } from "../../contract/index.ts";
import { usage } from "../../errors.ts";

const invoicesView = viewOf<ItemOf<"listInvoices">>(
  ["number", "kind", "issued:issuedAt", "total:totalCents", "tax:taxCents", "payment:paymentId", "about", detail("id")],
  { empty: "No invoices yet." },
);

const invoicesList = define({
  name: "invoices list",
  aliases: ["invoices"],
  description: "Totals include tax. Those of credit notes are below zero, so that the sum is what was paid.",
  operation: "listInvoices",
  list: true,
  examples: ["playtest billing invoices list", "playtest billing invoices list --all --csv -o invoices.csv"],
  view: invoicesView,
});

const detailsView = viewOf<Data<"getBillingDetails">["details"]>([
  detail("name"),
  detail("address"),
  detail("country"),
  detail("tax number:taxNumber"),
]);

const detailsShow = define({
  name: "details show",
  aliases: ["details"],
  summary: "Show the name, address and tax number on your invoices",
  operation: "getBillingDetails",
  examples: ["playtest billing details show"],
  async run(_, ctx) {
    const data = await ctx.api().getBillingDetails({});
    const { name, address, country, taxNumber } = data.details;
    // Nothing but an empty line would be shown to a person.
    if (ctx.io.terminal.stdout && !(name || address || country || taxNumber))
      return ctx.text("No details for invoices are set. To set them, run `playtest billing details set`.", data);
    return { kind: "item", data, subject: data.details, view: detailsView };
  },
});

const detailsSet = define({
  name: "details set",
  summary: "Change the name, address and tax number for your next invoices",
  description: "Invoices that were issued stay as they are. Without a name, invoices have the company of your profile.",
  operation: "updateBillingDetails",
  body: "updateBillingDetails",
  examples: [
    "playtest billing details set --name 'Moon Games GmbH' --address 'Kai 1, 20457 Hamburg' --country DE --tax-number DE123456789",
    "playtest billing details set --clear tax-number",
  ],
  async run({ body }, ctx) {
    if (Object.keys(body).length === 0) throw usage("No changes given.", "See `playtest billing details set --help`.");
    const data = await ctx.api().updateBillingDetails({ body });
    return { kind: "item", data, subject: data.details, view: detailsView };
  },
});

export const invoicesCommands = [invoicesList, detailsShow, detailsSet];
