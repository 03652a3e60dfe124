import { ConfigError } from "../config/read.ts";
import type { Log } from "../lib/log.ts";
import { Outages } from "../lib/outages.ts";
import { currentTrace, type Span, type SpanKind, type Tracer, traceWith } from "../lib/trace.ts";

type Attributes = Readonly<Record<string, string | number>>;

/** What is used of the packages. They are no dependencies: an operator installs them who collects traces. */
interface Packages {
  api: {
    ROOT_CONTEXT: unknown;
    SpanKind: { SERVER: number; CLIENT: number; CONSUMER: number };
    SpanStatusCode: { ERROR: number };
    DiagLogLevel: { WARN: number };
    diag: { setLogger(logger: object, options: { logLevel: number; suppressOverrideMessage: boolean }): void };
    createTraceState(text: string): TraceState;
    trace: { setSpanContext(context: unknown, parent: SpanContext & { isRemote: boolean }): unknown };
  };
  exporting: { OTLPTraceExporter: new () => Exporter };
  resources: {
    defaultResource(): Resource;
    detectResources(options: object): Resource;
    envDetector: object;
    resourceFromAttributes(attributes: Attributes): Resource;
  };
  sdk: {
    BasicTracerProvider: new (options: object) => Provider;
    BatchSpanProcessor: new (exporter: Exporter) => object;
  };
}
interface SpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
  traceState?: TraceState;
}
interface TraceState {
  serialize(): string;
}
interface SdkSpan {
  spanContext(): SpanContext;
  updateName(name: string): void;
  setAttributes(attributes: Attributes): void;
  setStatus(status: { code: number }): void;
  end(): void;
}
interface Provider {
  getTracer(
    name: string,
    version: string,
  ): {
    startSpan(name: string, options: { kind: number; attributes: Attributes }, context: unknown): SdkSpan;
  };
  shutdown(): Promise<void>;
}
interface Resource {
  merge(other: Resource): Resource;
}
interface Exporter {
  export(spans: unknown[], done: (result: { code: number; error?: Error }) => void): void;
  shutdown(): Promise<void>;
}

const names = {
  api: "@opentelemetry/api",
  exporting: "@opentelemetry/exporter-trace-otlp-http",
  resources: "@opentelemetry/resources",
  sdk: "@opentelemetry/sdk-trace-base",
};

export type LoadPackage = (name: string) => Promise<unknown>;

interface Options {
  version: string;
  log: Log;
  /** Real time in milliseconds. */
  now(): number;
  load?: LoadPackage | undefined;
}

/**
 * Sends spans to the collector that the standard variables name. The packages read these themselves: the address, headers, time limits, the
 * sampler and the sizes of batches. Throws ConfigError when the packages are not installed.
 */
export async function createTracer(options: Options): Promise<Tracer> {
  const { api, exporting, resources, sdk } = await loadPackages(options.load);
  const { log, version } = options;
  const warn = (message: string, ...more: unknown[]) => log.warn({}, `OpenTelemetry: ${[message, ...more].join(" ")}`);
  const silent = () => {};
  // The packages have one for the process.
  const level = { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true };
  api.diag.setLogger({ error: warn, warn, info: silent, debug: silent, verbose: silent }, level);
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ "service.name": "playtest", "service.version": version }))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const exporter = reporting(new exporting.OTLPTraceExporter(), new Outages(log, options.now));
  const provider = new sdk.BasicTracerProvider({ resource, spanProcessors: [new sdk.BatchSpanProcessor(exporter)] });
  const tracer = provider.getTracer("playtest", version);
  const kinds: Record<SpanKind, number> = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    consumer: api.SpanKind.CONSUMER,
  };

  return {
    start(kind, name, attributes = {}) {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parentIn(api));
      return spanOf(span, api.SpanStatusCode.ERROR);
    },
    close: () => provider.shutdown(),
  };
}

async function loadPackages(load: LoadPackage = (name) => import(name)): Promise<Packages> {
  const part = async (name: string) => {
    const loaded = (await load(name)) as { default?: unknown };
    return loaded.default ?? loaded;
  };
  try {
    const entries = Object.entries(names).map(async ([key, name]) => [key, await part(name)] as const);
    return Object.fromEntries(await Promise.all(entries)) as unknown as Packages;
  } catch (cause) {
    throw new ConfigError(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages that send traces are not installed. The server was not started. Install them beside playtest with \`npm install ${Object.values(names).join(" ")}\` (with --global if playtest is), or unset the variable.`,
      { cause },
    );
  }
}

/** The running trace, as the packages want it. */
function parentIn({ trace, createTraceState, ROOT_CONTEXT }: Packages["api"]): unknown {
  const { traceparent, tracestate } = currentTrace()?.headers ?? {};
  const [, traceId, spanId, flags] = traceparent?.split("-") ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const traceState = tracestate === undefined ? {} : { traceState: createTraceState(tracestate) };
  const traceFlags = Number.parseInt(flags ?? "", 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, ...traceState, isRemote: true });
}

function spanOf(span: SdkSpan, error: number): Span {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  return {
    trace: traceWith(traceId, traceparent, traceState?.serialize()),
    end({ name, attributes, failed }) {
      if (name !== undefined) span.updateName(name);
      if (attributes) span.setAttributes(attributes);
      if (failed) span.setStatus({ code: error });
      span.end();
    },
  };
}

/** A collector that is away is one line in the log, not one for each batch, and not none. */
function reporting(exporter: Exporter, outages: Outages): Exporter {
  const what = "sending traces";
  return {
    export(spans, done) {
      exporter.export(spans, ({ code, error }) => {
        if (code === 0) outages.worked(what);
        else outages.failed(what, error?.message ?? "unknown");
        done({ code: 0 });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
