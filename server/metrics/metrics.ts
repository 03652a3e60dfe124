/** Values of one metric at this moment, each with its label if there is one. */
export interface Gauge {
  name: string;
  help: string;
  label?: string;
  values: readonly { of?: string; value: number }[];
}

/** What a server tells about itself to Prometheus. Made only where the configuration asks for it. */
export interface Metrics {
  /** A request was answered. `operation`: its name in the contract, `upload`, `page`, or `none` where nothing matched. */
  request(operation: string, status: number, ms: number): void;
  /** A background job ran: it is done, runs again later as it asked, or failed. */
  job(kind: string, outcome: "done" | "later" | "failed", ms: number): void;
  /** Everything as of now, with these gauges, in the text format. */
  render(gauges: readonly Gauge[]): Promise<{ type: string; text: string }>;
}
