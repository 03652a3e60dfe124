import { define, flag } from "../../../cli/define.ts";
import { codeFlag, withCodeIfNeeded } from "../../shared/code.ts";
import { readSecret } from "../../shared/secret.ts";
import { payoutDetailsView } from "../view.ts";

const passwordFile = flag.text("Read the password from a file; - reads standard input", { value: "FILE", field: "password" });

export const payoutDetails = define({
  name: "payout-details",
  summary: "Show where you are paid, masked",
  operation: "getPayoutDetails",
  examples: ["playtest tester payout-details"],
  async run(_, ctx) {
    const data = await ctx.api().getPayoutDetails({});
    if (data.details) return { kind: "item", data, subject: data.details, view: payoutDetailsView };
    return ctx.text("No payout details. Enter them with `playtest tester payout-details set`.", data);
  },
});

export const setPayoutDetails = define({
  name: "payout-details set",
  summary: "Set where you are paid",
  description:
    "A bank account, a PayPal account or something else. Asks for your password. You get an email, and payouts to new details wait for a while (48 hours unless the operator set another time), so that you can object if it was not you. An address, a country and a tax number are optional: your statements name them, and the operator who pays you gets them for tax reports.",
  operation: "setPayoutDetails",
  body: "setPayoutDetails",
  bodyOmit: ["password", "code"],
  partialBody: true,
  flags: { passwordFile, code: codeFlag },
  examples: [
    "playtest tester payout-details set --method bank --holder 'Pim Vos' --iban NL91ABNA0417164300",
    "playtest tester payout-details set --method bank --holder 'Pim Vos' --account-number 12345678 --routing-number 021000021",
    "playtest tester payout-details set --method paypal --email pim@example.com --country NL",
    "playtest tester payout-details set --method other --instructions 'Wise, tag @pimvos'",
  ],
  async run({ body, flags }, ctx) {
    const password = await readSecret(ctx, flags.passwordFile, "--password-file", "Password:");
    const data = await withCodeIfNeeded(ctx, flags.code, (code) =>
      ctx.api().setPayoutDetails({ body: { ...body, password, code } }),
    );
    return { kind: "item", data, subject: data.details, view: payoutDetailsView };
  },
});

export const removePayoutDetails = define({
  name: "payout-details remove",
  summary: "Remove where you are paid",
  description:
    "The operator's payout batches skip you until you enter payout details again. Payouts that were already made are not changed.",
  operation: "removePayoutDetails",
  flags: { passwordFile, code: codeFlag },
  confirm: () => "Remove your payout details? The operator's payout batches skip you until you enter them again.",
  examples: ["playtest tester payout-details remove --yes"],
  async run({ flags }, ctx) {
    const password = await readSecret(ctx, flags.passwordFile, "--password-file", "Password:");
    const data = await withCodeIfNeeded(ctx, flags.code, (code) => ctx.api().removePayoutDetails({ body: { password, code } }));
    return ctx.text("Your payout details were removed.", data);
  },
});
