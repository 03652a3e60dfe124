import { pages, studio } from "../../../../src/contract/pages/addresses.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup } from "../../html.ts";
import { ifAllowed } from "../allowed.ts";
import { command } from "../parts.ts";
import type { StudioContext } from "../types.ts";

/** One thing to do before there are videos: in place, or by its command. */
interface Step {
  title: string;
  text: string;
  isDone: boolean;
  link: readonly [path: string, label: string];
  command: string;
}

/** What an account without any playtest does first, and how it gets the command. */
export async function firstRun(context: StudioContext): Promise<Markup> {
  const steps = await stepsOf(context);
  const next = steps.find(({ isDone }) => !isDone);
  return html`<p>${steps.length === 3 ? "Three" : "Two"} steps, and the videos of your first playtest appear here.</p>
<ol class="list steps">${steps.map((step) => item(context, step, step === next))}</ol>
<section class="cli"><h2>Do you work in a terminal?</h2>
${install(context)}${command(context, `playtest login --base-url ${context.site.baseUrl}`)}</section>`;
}

/** How the command gets to a computer that may not have it: `playtest studio` runs where it is. */
function install(context: StudioContext): Markup {
  if (context.account.instance !== null) return html`<p>Sign in to this server:</p>`;
  const { commandPackage } = context.site;
  if (commandPackage === null) {
    return html`<p><a href="${pages.topic("getting-started")}">Install the command</a>, then sign in to this server:</p>`;
  }
  return html`<p><a href="${pages.topic("getting-started")}">Install the command</a>, which needs Node.js 20.19 or later:</p>
${command(context, `npm install --global ${commandPackage}`)}<p>Then sign in to this server:</p>
`;
}

async function stepsOf({ call, site }: StudioContext): Promise<Step[]> {
  const { totalGames } = (await call("getDashboardStats")).data;
  const balance = site.payments ? (await ifAllowed(call("getBalance")))?.data : undefined;
  const game: Step = {
    title: "Create a game",
    text: "Its name, what it runs on, and a build that playtesters can download.",
    isDone: totalGames > 0,
    link: [studio.newGame(), "Create a game"],
    command: "playtest games create --name NAME --build-url URL",
  };
  const credit: Step = {
    title: "Add credit",
    text: `Credit pays for your playtests. You have ${usd(balance?.balanceCents ?? 0)}.`,
    isDone: balance !== undefined && (balance.balanceCents > 0 || balance.playtestMinutes > 0),
    link: [`${studio.billing()}#credit`, "Add credit"],
    command: "playtest billing credit add --amount 50",
  };
  const order: Step = {
    title: "Order a playtest",
    text: "How many videos of which length, from whom. You see the price before you order.",
    isDone: false,
    link: [studio.order(), "Order a playtest"],
    command: "playtest order",
  };
  return site.payments ? [game, credit, order] : [game, order];
}

const item = (
  context: StudioContext,
  { title, text, isDone, link: [path, label], command: line }: Step,
  isNext: boolean,
): Markup =>
  html`<li class="card"><div class="head"><h2>${title}</h2>${isDone && html`<span class="badge good">Done</span>`}</div>
<p>${text}</p>
${!isDone && html`<p><a class="button${!isNext && " quiet"}" href="${path}">${label}</a></p><details><summary>By command</summary>${command(context, line)}</details>`}</li>`;
