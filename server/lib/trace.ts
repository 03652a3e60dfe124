import { AsyncLocalStorage } from "node:async_hooks";

/** The place in a trace from which work is done: what W3C Trace Context sends as the header `traceparent`. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly traceparent: string;
}

/** Something that takes time, in a trace. */
export interface Span {
  readonly trace: Trace;
  end(outcome: { name?: string; attributes?: Readonly<Record<string, string | number>>; failed: boolean }): void;
}

export type SpanKind = "server" | "client" | "consumer";

/** Sends spans to a collector. Made only where the environment names one. */
export interface Tracer {
  /** A part of the running trace, or the beginning of a new one. */
  start(kind: SpanKind, name: string, attributes?: Readonly<Record<string, string | number>>): Span;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
}

const form = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The trace of a header, undefined for one that is not valid. A later version is read as the part that this one knows. */
export function traceOf(header: string | string[] | null | undefined): Trace | undefined {
  const [, version, id, parent, flags, more] = (typeof header === "string" && form.exec(header)) || [];
  if (id === undefined || (version === "00" && more !== undefined)) return undefined;
  return { id, traceparent: `00-${id}-${parent}-${flags}` };
}

const running = new AsyncLocalStorage<Trace | undefined>();

/** The trace of which the work at hand is a part. */
export const currentTrace = (): Trace | undefined => running.getStore();

/** Does work as a part of a trace, or of none. While no trace ever came, this costs nothing. */
export const withTrace = <T>(trace: Trace | undefined, work: () => T): T =>
  trace === running.getStore() ? work() : running.run(trace, work);

/** Whether the standard variables of OpenTelemetry ask for traces. */
export const wantsTraces = (env: Readonly<Record<string, string | undefined>>): boolean =>
  Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT) &&
  env.OTEL_SDK_DISABLED?.toLowerCase() !== "true" &&
  env.OTEL_TRACES_EXPORTER !== "none";
