import { pages, studio } from "../../../src/contract/pages/addresses.ts";
import type { Checkout } from "../../billing/cards/checkouts.ts";
import { testCards } from "../../billing/cards/sandbox-processor.ts";
import { usd } from "../../lib/money.ts";
import { html, type Markup, type PageContent } from "../html.ts";

export type FormErrors = Partial<Record<"number" | "expiry" | "cvc", string>>;

interface FormState {
  checkout: Checkout;
  token: string;
  errors: FormErrors;
  /** The values entered before, without the card's number and security code. */
  values: Record<string, string | undefined>;
  /** Why the last card was declined. */
  declined?: string;
}

interface Field {
  name: keyof FormErrors;
  label: string;
  autocomplete: string;
  placeholder: string;
  value?: string | undefined;
}

/** The form for a sandbox card. */
export function cardForm({ checkout, token, errors, values, declined }: FormState): PageContent {
  const wrong = Object.keys(errors).length > 0;
  const body = html`<p class="amount">${usd(checkout.amountCents)}</p>
<p class="soft">${checkout.description} · sandbox: no real money moves</p>
${wrong && html`<p class="alert" role="alert" tabindex="-1" autofocus>Nothing was charged. Correct the marked ${Object.keys(errors).length === 1 ? "field" : "fields"}.</p>`}
${declined && html`<p class="alert" role="alert" tabindex="-1" autofocus>${declined} Nothing was charged. Try again with another card: the payment is still open, and it is charged only once.</p>`}
<form method="post" action="${pages.checkout(token)}">
${field({ name: "number", label: "Card number", autocomplete: "cc-number", placeholder: "4242 4242 4242 4242" }, errors)}
<div class="pair">${field({ name: "expiry", label: "Expiry", autocomplete: "cc-exp", placeholder: "12/34", value: values.expiry }, errors)}
${field({ name: "cvc", label: "CVC", autocomplete: "cc-csc", placeholder: "123" }, errors)}</div>
<button>Pay ${usd(checkout.amountCents)}</button>
</form>
${cancelForm(token)}
<h2>Test cards</h2>
<table><tbody>${testCards.map((card) => html`<tr><th scope="row">${card.number}</th><td>${card.does}</td></tr>`)}</tbody></table>
<p class="soft">Use any future date and any three digits.</p>`;
  return {
    title: wrong || declined ? "Error: Pay by card" : "Pay by card",
    heading: "Pay by card",
    body,
    ...returnPolicy(checkout),
  };
}

const cancelForm = (token: string) =>
  html`<form method="post" action="${pages.cancelCheckout(token)}"><button class="link">Cancel and go back</button></form>`;

/** The page for a visitor who left the processor's page without paying. The payment is still pending. */
export function leftPage(checkout: Checkout, token: string): PageContent {
  const body = html`<p class="amount">${usd(checkout.amountCents)}</p><p class="soft">${checkout.description}</p>
<p>Nothing was charged. The payment is still open: if a card was declined, you can try another one.</p><p><a href="${pages.checkout(token)}">Continue to payment</a></p>${cancelForm(token)}`;
  return { title: "Not paid yet", body, ...returnPolicy(checkout) };
}

/** The page shown after paying, until the processor confirms the payment. */
export function waitPage(checkout: Checkout, token: string): PageContent {
  const body = html`<p class="amount">${usd(checkout.amountCents)}</p><p class="soft">${checkout.description}</p>
<p>The card processor has not confirmed the payment yet. After you pay, this takes a moment.</p><p><a href="${pages.paid(token)}">Check again</a></p>`;
  return { title: "Not confirmed yet", body };
}

function field({ name, label, autocomplete, placeholder, value }: Field, errors: FormErrors): Markup {
  const error = errors[name];
  const about = error && html` aria-invalid="true" aria-describedby="${name}-error"`;
  return html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" inputmode="numeric" autocomplete="${autocomplete}" placeholder="${placeholder}" value="${value ?? ""}" maxlength="40" required${about}>
${error && html`<p class="bad" id="${name}-error">${error}</p>`}</div>`;
}

/** After the form is posted, the response redirects to the return URL. Browsers allow this only when the policy lists its origin. */
const returnPolicy = (checkout: Checkout) =>
  checkout.returnUrl === null ? {} : { formAction: new URL(checkout.returnUrl).origin };

type Ending = Exclude<Checkout["status"], "pending">;

const endings: Record<Ending, { title: string; text: string }> = {
  completed: { title: "Paid", text: "The payment is complete. You can close this page." },
  failed: { title: "The payment failed", text: "Nothing was charged. This checkout has ended. Start a new one to try again." },
  cancelled: { title: "This checkout has ended", text: "It was cancelled or it expired. Nothing was charged." },
  refunded: { title: "Refunded", text: "This payment was refunded." },
  disputed: { title: "Disputed", text: "The cardholder's bank reversed this payment." },
};

/** The page of a checkout that has ended: the result, and a link to the return URL. */
export function endPage(checkout: Checkout, status: Ending): PageContent {
  const { title, text } = endings[status];
  const back =
    checkout.returnTo !== null
      ? html`<p><a href="${checkout.returnTo}">Back to ${new URL(checkout.returnTo).host}</a></p>`
      : html`<p><a href="${studio.billing()}">Go to your payments</a></p>`;
  return {
    title,
    body: html`<p class="amount">${usd(checkout.amountCents)}</p><p class="soft">${checkout.description}</p><p>${text}</p>${back}`,
  };
}
