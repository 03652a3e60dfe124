/** Reply header of a server without payments: `off`. */
export const paymentsHeader = "Playtest-Payments";
