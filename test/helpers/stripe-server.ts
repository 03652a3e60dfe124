import { onTestFinished } from "vitest";
import type { Config } from "../../server/config/schema.ts";
import { createTestClock, type TestServer, type TestServerOptions } from "./server.ts";
import { secretKey, startStripe, webhookSecret } from "./stripe.ts";

type Serve = (options?: Omit<TestServerOptions, "store">) => Promise<TestServer>;

/** A server that takes cards by Stripe, and the stand-in for Stripe that it asks, which ends with the test. */
export async function serveWithStripe(serve: Serve, more: (config: Config) => void = () => {}) {
  const clock = createTestClock();
  const stripe = await startStripe(clock);
  onTestFinished(() => stripe.close());
  const server = await serve({
    clock,
    config(config) {
      config.sandbox = false;
      config.stripe = { secretKey, webhookSecret, apiUrl: stripe.url };
      more(config);
    },
  });
  return { stripe, server };
}
