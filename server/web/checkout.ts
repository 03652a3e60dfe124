import type { IncomingMessage, ServerResponse } from "node:http";
import type { Deps } from "../app/deps.ts";
import { closeHosted, hostOf, openHosted, refresh } from "../billing/cards/hosted.ts";
import { actAtCheckout } from "../billing/cards/sandbox.ts";
import type { CardVerdict } from "../billing/cards/sandbox-processor.ts";
import { returnAddress, statusAt } from "../billing/rules.ts";
import * as payments from "../billing/store.ts";
import type { Query } from "../database/port.ts";
import { notFound, Problem, unavailable } from "../lib/problem.ts";
import { sha256 } from "../lib/secrets.ts";
import { cardForm, endPage, type FormErrors, leftPage, waitPage } from "./checkout-views.ts";
import { readForm } from "./form.ts";
import { redirect, sendPage } from "./html.ts";
import type { Page } from "./index.ts";

type Form = Record<string, string | undefined>;

const dayMs = 24 * 3_600_000;

/**
 * `/checkout/<token>`: where a person pays by card. The token is the only key to it, and every step is repeatable: a second
 * click, a reload or the back button shows what happened instead of doing it again.
 */
export function checkout(deps: Deps): Page {
  const reload = async (q: Query, token: string) => {
    const payment = await payments.findByCheckout(q, sha256(token));
    if (!payment) throw notFound();
    return payment;
  };

  /** Pays, declines or cancels unless that happened already; the payment as it is afterwards. */
  const act = (token: string, outcome: "paid" | "declined" | "cancelled", verdict?: CardVerdict) =>
    deps.store.write(async (tx) => {
      const payment = await reload(tx, token);
      if (statusAt(payment, deps.clock.now()) !== "pending") return payment;
      const paid = verdict?.outcome === "paid" ? verdict : undefined;
      await actAtCheckout(deps, tx, payment, outcome, paid?.card);
      if (paid?.disputed) await disputeLater(tx, payment.id);
      return reload(tx, token);
    });

  const disputeLater = (tx: Query, paymentId: string) =>
    deps.jobs.schedule(tx, { kind: "dispute-payment", key: paymentId, payload: { paymentId }, runAt: deps.clock.now() + dayMs });

  /** What the form asks for: errors by field, or what the card does. */
  function readCard(form: Form) {
    if (deps.cards?.name !== "sandbox") throw unavailable("This checkout's card processor is not configured any more.");
    const errors: FormErrors = {};
    const verdict = deps.cards.read(form.number ?? "");
    if (verdict.outcome === "unknown") errors.number = "This is a sandbox: enter one of the test cards below.";
    if (!isFuture(form.expiry ?? "", deps.clock.now())) errors.expiry = "Enter a month and year to come, such as 12/34.";
    if (!/^\d{3,4}$/.test(form.cvc?.trim() ?? "")) errors.cvc = "Enter any three digits.";
    return { errors, verdict };
  }

  async function pay(request: IncomingMessage, response: ServerResponse, token: string): Promise<void> {
    const form = await readForm(deps, request);
    const payment = await deps.store.read((q) => reload(q, token));
    if (statusAt(payment, deps.clock.now()) !== "pending") return leave(response, payment, token);
    const { errors, verdict } = readCard(form);
    if (verdict.outcome === "unknown" || Object.keys(errors).length > 0)
      return sendPage(response, 422, cardForm({ payment, token, errors, values: form }));
    leave(response, await act(token, verdict.outcome, verdict), token);
  }

  /** Back to where the person came from; without a return address, and after a decline, to the page that says how it ended. */
  function leave(response: ServerResponse, payment: payments.PaymentRow, token: string): void {
    const status = statusAt(payment, deps.clock.now());
    const goesBack = payment.return_url !== null && (status === "completed" || status === "cancelled");
    const outcome = status === "completed" ? "success" : "cancelled";
    redirect(response, goesBack ? returnAddress(payment.return_url!, payment.id, outcome) : `/checkout/${token}`);
  }

  async function show(response: ServerResponse, token: string): Promise<void> {
    const payment = await deps.store.read((q) => reload(q, token));
    const status = statusAt(payment, deps.clock.now());
    if (status !== "pending") return sendPage(response, status === "completed" ? 200 : 410, endPage(payment, status));
    const host = hostOf(deps, payment);
    if (host) return redirect(response, await openHosted(deps, host, payment, `${deps.config.baseUrl}/checkout/${token}`));
    sendPage(response, 200, cardForm({ payment, token, errors: {}, values: {} }));
  }

  /** Back from the processor's page, which knows before its report arrives here. */
  async function done(response: ServerResponse, token: string): Promise<void> {
    const payment = await deps.store.read((q) => reload(q, token));
    const host = payment.status === "pending" ? hostOf(deps, payment) : undefined;
    if (host) await refresh(deps, host, payment);
    const now = await deps.store.read((q) => reload(q, token));
    if (now.status === "pending") return sendPage(response, 202, waitPage(now, token));
    leave(response, now, token);
  }

  async function cancel(response: ServerResponse, token: string): Promise<void> {
    const payment = await deps.store.read((q) => reload(q, token));
    const host = payment.status === "pending" ? hostOf(deps, payment) : undefined;
    if (host) await closeHosted(deps, host, payment);
    leave(response, host ? await deps.store.read((q) => reload(q, token)) : await act(token, "cancelled"), token);
  }

  async function left(response: ServerResponse, token: string): Promise<void> {
    const payment = await deps.store.read((q) => reload(q, token));
    if (statusAt(payment, deps.clock.now()) !== "pending") return redirect(response, `/checkout/${token}`);
    sendPage(response, 200, leftPage(payment, token));
  }

  const steps: Record<string, (request: IncomingMessage, response: ServerResponse, token: string) => Promise<void>> = {
    "GET ": (_request, response, token) => show(response, token),
    "POST ": pay,
    "POST cancel": (_request, response, token) => cancel(response, token),
    "GET done": (_request, response, token) => done(response, token),
    "GET left": (_request, response, token) => left(response, token),
  };

  return async (request, response, url) => {
    const [, , token = "", name = "", ...rest] = url.pathname.split("/");
    const methods = ["GET", "POST"].filter((method) => `${method} ${name}` in steps);
    if (rest.length > 0 || methods.length === 0) throw notFound();
    const step = steps[`${request.method === "HEAD" ? "GET" : request.method} ${name}`];
    if (!step)
      throw new Problem("METHOD_NOT_ALLOWED", "This page is not asked that way.", { headers: { Allow: methods.join(", ") } });
    await step(request, response, token);
  };
}

/** Whether `MM/YY` is this month or later; a card is good to the end of its month. */
function isFuture(expiry: string, now: number): boolean {
  const [, month, year] = /^\s*(0?[1-9]|1[0-2])\s*\/\s*(?:20)?(\d{2})\s*$/.exec(expiry) ?? [];
  return month !== undefined && Date.UTC(2000 + Number(year), Number(month)) > now;
}
