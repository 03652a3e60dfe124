import { AsyncLocalStorage } from "node:async_hooks";

/** The place in a trace from which work is done, as W3C Trace Context has it. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** What a request carries that is a part of it: `traceparent`, and `tracestate` if anybody on the way set one. */
  readonly headers: { readonly traceparent: string; readonly tracestate?: string };
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

type Header = string | string[] | undefined;

/** The trace of the two headers, undefined where the first is not valid. A later version is read as the part that this one knows. */
export function traceOf(traceparent: Header, tracestate?: Header): Trace | undefined {
  const [, version, id, parent, flags, more] = (typeof traceparent === "string" && form.exec(traceparent)) || [];
  if (id === undefined || (version === "00" && more !== undefined)) return undefined;
  return traceWith(id, `00-${id}-${parent}-${flags}`, stateOf(tracestate));
}

export const traceWith = (id: string, traceparent: string, tracestate: string | undefined): Trace => ({
  id,
  headers: tracestate ? { traceparent, tracestate } : { traceparent },
});

const stateMember = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const mostMembers = 32;
const mostState = 512;
const longMember = 128;

/** `tracestate` as it is passed on: as it came, without what has no form. Of one that is too long, long members go first, then the last. */
function stateOf(header: Header): string | undefined {
  if (header === undefined) return undefined;
  const members = String(header)
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  if (members.length > mostMembers || !members.every((member) => stateMember.test(member))) return undefined;
  const isTooLong = () => members.join(",").length > mostState;
  while (isTooLong()) {
    const long = members.findLastIndex((member) => member.length > longMember);
    members.splice(long, 1);
  }
  return members.join(",");
}

/** A trace as text for a row, and that text as the trace: the two headers with a space between. */
export const traceText = ({ headers }: Trace) => Object.values(headers).join(" ");
export function traceIn(text: string | null): Trace | undefined {
  if (text === null) return undefined;
  const [traceparent, ...state] = text.split(" ");
  return traceOf(traceparent, state.length > 0 ? state.join(" ") : undefined);
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
