import type { Group } from "../../cli/define.ts";
import { aboutMoney } from "../shared/without-payments.ts";
import { agreement } from "./agreement.ts";
import { applications } from "./applications.ts";
import { apply } from "./apply.ts";
import { browse } from "./browse.ts";
import { claim } from "./claim.ts";
import { friendsCommands } from "./friends.ts";
import { earnings } from "./money/earnings.ts";
import { payoutDetails, removePayoutDetails, setPayoutDetails } from "./money/payout-details.ts";
import { statement } from "./money/statement.ts";
import { offer } from "./offer.ts";
import { release } from "./release.ts";
import { report } from "./report.ts";
import { reschedule } from "./reschedule.ts";
import { show } from "./show.ts";
import { slots } from "./slots.ts";
import { submit } from "./submit.ts";
import { teamCommands } from "./team.ts";
import { unpublish } from "./unpublish.ts";
import { withdraw } from "./withdraw.ts";

export const tester: Group = {
  commands: [
    ...[
      browse,
      offer,
      agreement,
      claim,
      apply,
      applications,
      withdraw,
      slots,
      show,
      submit,
      reschedule,
      release,
      report,
      unpublish,
    ],
    ...friendsCommands,
    ...teamCommands,
    ...[earnings, aboutMoney(payoutDetails), aboutMoney(setPayoutDetails), removePayoutDetails, aboutMoney(statement)],
  ],
  fallback: "slots",
};
