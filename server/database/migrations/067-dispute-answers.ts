/** Until when the bank waits for an answer to a dispute (ms). */
export const disputeAnswers = {
  name: "067-dispute-answers",
  statements: ["ALTER TABLE payment_reversals ADD COLUMN answer_by {int}"],
};
