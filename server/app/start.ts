import { keyUsage } from "../accounts/authenticate.ts";
import { sessionUsage } from "../accounts/sessions.ts";
import { createCards } from "../billing/cards/create.ts";
import { watchChains } from "../billing/crypto/watch.ts";
import { ensureCategories } from "../games/default-categories.ts";
import { startRetention } from "../operations/retention.ts";
import { type App, createApp } from "./app.ts";
import { createDeps, type Outside } from "./compose.ts";
import type { Deps } from "./deps.ts";
import { type Listening, listen } from "./listen.ts";

export interface Running {
  baseUrl: string;
  deps: Deps;
  app: App;
  /** Drains requests, stops jobs, writes data that was only in memory, and closes the store. */
  close(): Promise<void>;
}

/** Binds the port, builds the app for the resulting address, and starts background jobs. */
export async function start(options: {
  host: string;
  port: number;
  outside: Omit<Outside, "draining" | "cards">;
  publicUrl?: string;
}): Promise<Running> {
  const { outside } = options;
  const draining = new AbortController();
  const cards = await createCards(outside.config);
  const server: Listening & { serve(app: App): void } = await listen({
    host: options.host,
    port: options.port,
    config: outside.config,
  });
  try {
    const { deps, app } = await wire(options, server.port, { ...outside, cards, draining: draining.signal });
    server.serve(app);
    return { baseUrl: deps.config.baseUrl, deps, app, close: () => close(deps, server, draining) };
  } catch (error) {
    // An open port would keep the process running.
    await server.close();
    throw error;
  }
}

async function wire({ host, publicUrl }: { host: string; publicUrl?: string }, port: number, outside: Outside) {
  const baseUrl = publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const deps = createDeps({ ...outside, config: { ...outside.config, baseUrl } });
  await ensureCategories(deps);
  if (!deps.config.sandbox) {
    await watchChains(deps);
    await startRetention(deps);
  }
  // Entries of a process that ended before it gave them a place.
  await deps.audit.chain();
  const app = createApp(deps);
  deps.jobs.start(deps);
  return { deps, app };
}

async function close(deps: Deps, server: Listening, draining: AbortController): Promise<void> {
  draining.abort();
  await server.close();
  await deps.jobs.stop();
  deps.outbound.close();
  await keyUsage(deps).flush();
  await sessionUsage(deps).flush();
  await deps.audit.idle();
  await deps.mailer.close();
  await deps.store.close();
}
