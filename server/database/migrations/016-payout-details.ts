import { enumerated } from "./002-enumerations.ts";

/** Where playtesters want to be paid: sealed, with a masked form that is shown. */
export const payoutDetails = {
  name: "016-payout-details",
  statements: [
    `CREATE TABLE payout_details (
      user_id TEXT PRIMARY KEY REFERENCES users (id), method TEXT NOT NULL, sealed TEXT NOT NULL, masked TEXT NOT NULL, changed_at {int} NOT NULL) {strict}`,
    ...enumerated("payout_details", { method: ["bank", "paypal", "other"] }),
  ],
};
