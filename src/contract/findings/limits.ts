/** The most pieces of evidence of one finding. */
export const maxEvidence = 1000;

/** The most pieces of evidence that a finding is created with: the transcript is read for each quote. */
export const maxFirstEvidence = 50;

/** The most characters of a quote. */
export const longestQuote = 500;
