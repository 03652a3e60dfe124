import { currentTrace } from "../lib/trace.ts";

interface Init extends RequestInit {
  headers?: Readonly<Record<string, string>>;
}

/** `fetch` for addresses of the configuration, as a part of the running trace, which the other side is told. */
export function tracedFetch(url: URL | string, init: Init): Promise<Response> {
  const trace = currentTrace();
  return fetch(url, trace ? { ...init, headers: { ...init.headers, ...trace.headers } } : init);
}
