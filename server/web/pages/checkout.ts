import type { IncomingMessage, ServerResponse } from "node:http";
import { pages } from "../../../src/contract/pages/addresses.ts";
import type { Checkout, Checkouts } from "../../billing/cards/checkouts.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import { redirect, sendPage } from "../html.ts";
import type { Form, Page, ReadForm } from "../types.ts";
import { cardForm, endPage, type FormErrors, leftPage, waitPage } from "./checkout-views.ts";

interface Parts {
  checkouts: Checkouts;
  readForm: ReadForm;
  now(): number;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  token: string;
}

const steps: Record<string, (parts: Parts, exchange: Exchange) => Promise<void>> = {
  "GET ": show,
  "POST ": pay,
  "POST cancel": cancel,
  "GET done": done,
  "GET left": left,
};

/**
 * `/checkout/<token>`: the page to pay by card. It needs no sign-in: the secret token gives access. Every step is safe to repeat: a
 * second click, a reload or the back button shows the result instead of paying again.
 */
export function checkout(parts: Parts): Page {
  return async (request, response, url) => {
    const [, , token = "", name = "", ...rest] = url.pathname.split("/");
    const methods = ["GET", "POST"].filter((method) => `${method} ${name}` in steps);
    if (rest.length > 0 || methods.length === 0) throw notFound();
    const step = steps[`${request.method === "HEAD" ? "GET" : request.method} ${name}`];
    if (!step) throw methodNotAllowed(methods, "page");
    await step(parts, { request, response, token });
  };
}

async function show({ checkouts }: Parts, { response, token }: Exchange): Promise<void> {
  const found = await checkouts.findEnd(token);
  if (found.status !== "pending")
    return sendPage(response, found.status === "completed" ? 200 : 410, endPage(found, found.status));
  const hosted = await checkouts.openHosted(token);
  if (hosted !== undefined) return redirect(response, hosted);
  sendPage(response, 200, cardForm({ checkout: found, token, errors: {}, values: {} }));
}

async function pay({ checkouts, readForm, now }: Parts, { request, response, token }: Exchange): Promise<void> {
  const form = await readForm(request);
  const found = await checkouts.find(token);
  if (found.status !== "pending") return leave(response, found, token);
  const card = checkouts.readCard(form.number ?? "");
  const errors = errorsIn(form, card.outcome !== "unknown", now());
  if (card.outcome === "unknown" || Object.keys(errors).length > 0)
    return sendPage(response, 422, cardForm({ checkout: found, token, errors, values: form }));
  // The payment stays pending, as on a processor's page: the next card pays the same payment, and only one of them can.
  if (card.outcome === "declined")
    return sendPage(response, 402, cardForm({ checkout: found, token, errors, values: form, declined: card.reason }));
  leave(response, await checkouts.pay(token, card), token);
}

function errorsIn(form: Form, isKnown: boolean, now: number): FormErrors {
  const errors: FormErrors = {};
  if (!isKnown) errors.number = "This is a sandbox. Enter one of the test card numbers below.";
  if (!isFuture(form.expiry ?? "", now)) errors.expiry = "Enter a future month and year, such as 12/34.";
  if (!/^\d{3,4}$/.test(form.cvc?.trim() ?? "")) errors.cvc = "Enter any three digits.";
  return errors;
}

/** Whether `MM/YY` is this month or later. A card is valid until the end of its month. */
function isFuture(expiry: string, now: number): boolean {
  const [, month, year] = /^\s*(0?[1-9]|1[0-2])\s*\/\s*(?:20)?(\d{2})\s*$/.exec(expiry) ?? [];
  return month !== undefined && Date.UTC(2000 + Number(year), Number(month)) > now;
}

async function cancel({ checkouts }: Parts, { response, token }: Exchange): Promise<void> {
  leave(response, await checkouts.cancel(token), token);
}

/** The visitor returned from the processor's page after paying. */
async function done({ checkouts }: Parts, { response, token }: Exchange): Promise<void> {
  const found = await checkouts.refresh(token);
  if (found.status === "pending") return sendPage(response, 202, waitPage(found, token));
  leave(response, found, token);
}

/** The visitor left the processor's page. In another tab the payment may have been paid, so the processor is asked. */
async function left({ checkouts }: Parts, { response, token }: Exchange): Promise<void> {
  await checkouts.refresh(token);
  const found = await checkouts.find(token);
  if (found.status !== "pending") return redirect(response, pages.checkout(token));
  sendPage(response, 200, leftPage(found, token));
}

/** Redirects to the return URL. Without one, or after a failure, redirects to the page that shows how the payment ended. */
function leave(response: ServerResponse, { status, returnTo }: Checkout, token: string): void {
  const goesBack = returnTo !== null && (status === "completed" || status === "cancelled");
  redirect(response, goesBack ? returnTo : pages.checkout(token));
}
