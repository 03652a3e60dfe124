import type { Data } from "../../../src/contract/index.ts";
import { portal } from "../../../src/contract/pages/addresses.ts";
import type { FriendStatus } from "../../../src/contract/teams/statuses.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { cursorOf, fault, marked, more, notice, tokens } from "../shared/parts.ts";
import { signedInLayout } from "./layout.ts";
import { action, type PageContext, type PortalPage } from "./types.ts";

type Friend = Data<"listFriends">["friends"][number];
type Profile = Data<"getPlaytesterProfile">["profile"];

const said = new Map([
  ["saved", "Your changes were saved."],
  ["sent", "Your request was sent."],
  ["connected", "You are friends now."],
  ["removed", "The entry was removed."],
  ["blocked", "The playtester is blocked. They were not told."],
]);

/** `/play/friends`: whom a playtester can claim slots with. `?add=HANDLE` is the link that others share. */
async function friendsPage(context: PageContext): Promise<PageContent> {
  const { data, meta } = await context.call("listFriends", { query: { limit: 100, cursor: cursorOf(context) } });
  const { profile } = (await context.call("getPlaytesterProfile")).data;
  const done = said.get(context.query.get("done") ?? "");
  const body = html`${done && notice(done)}
<p class="soft">With friends you can claim playtests for several players. All of you play, and the payout is divided among you.</p>
${addForm(context, profile)}
${groups.map(({ status, title }) => group(context, title, data.friends, status))}
${data.friends.length === 0 && html`<p>No friends yet.</p>`}${more(portal.friends(), meta.cursor)}
${profileForm(context, profile)}`;
  return signedInLayout(context, "friends", { title: "Friends", body });
}

const groups: readonly { status: FriendStatus; title: string }[] = [
  { status: "received", title: "Requests to you" },
  { status: "connected", title: "Your friends" },
  { status: "sent", title: "Requests you sent" },
  { status: "blocked", title: "Blocked" },
];

const addForm = (context: PageContext, { handle }: Profile): Markup =>
  handle === null
    ? html`<p>To ask somebody, or to be found, first <a href="#handle">choose a handle</a> below.</p>`
    : html`<form method="post" action="${add.at()}">${tokens(context)}
<label for="add">Handle of another playtester</label>
<input id="add" name="add" autocomplete="off" autocapitalize="none" maxlength="30" value="${context.form.add ?? context.query.get("add")}" required${marked(context, "add")}>
${fault(context, "add")}
<button>Send request</button></form>`;

function group(context: PageContext, title: string, all: readonly Friend[], status: FriendStatus): Markup | false {
  const friends = all.filter((friend) => friend.status === status);
  return (
    friends.length > 0 &&
    html`<section><h2>${title}</h2><ul class="list">${friends.map((friend) => item(context, friend))}</ul></section>`
  );
}

const removeLabels: Record<FriendStatus, string> = {
  received: "Decline",
  connected: "Remove",
  sent: "Withdraw",
  blocked: "Unblock",
};

const item = (context: PageContext, { id, handle, displayName, status, available }: Friend): Markup =>
  html`<li class="card"><div class="head"><h3>${displayName ?? handle}</h3>${status === "connected" && html`<span class="badge${available && " good"}">${available ? "available" : "not available"}</span>`}</div>
${displayName !== null && html`<p class="soft">${handle}</p>`}
<div class="buttons">${status === "received" && small(context, accept.at(id), "Accept", handle)}${small(context, remove.at(id), removeLabels[status], handle, "quiet")}${status !== "blocked" && small(context, block.at(), "Block", handle, "danger")}</div></li>`;

/** A button of an entry, which names whom it is about for those who do not see the entry. */
const small = (context: PageContext, to: string, label: string, handle: string, look?: "quiet" | "danger"): Markup =>
  html`<form method="post" action="${to}">${tokens(context)}<input type="hidden" name="who" value="${handle}" autocomplete="off"><button${look && html` class="${look}"`}>${label}<span class="hidden"> ${handle}</span></button></form>`;

const profileForm = (context: PageContext, profile: Profile): Markup => html`<section><h2>What others see of you</h2>
${profile.link !== null && html`<p>Your link, with which others can send you a request: <code>${profile.link}</code></p>`}
<form method="post" action="${save.at()}">${tokens(context)}
<label for="handle">Handle <span class="soft">(3 to 30 lowercase letters, digits, hyphens and underscores)</span></label>
<input id="handle" name="handle" autocomplete="off" autocapitalize="none" maxlength="30" value="${context.form.handle ?? profile.handle}" required${marked(context, "handle")}>
${fault(context, "handle")}
<p><label class="check"><input type="checkbox" name="available" value="yes"${(context.form.handle === undefined ? profile.available : context.form.available === "yes") && html` checked`}> Friends can name me when they claim a playtest</label></p>
<button>Save</button></form></section>`;

const add = action(
  { at: portal.friends.below("add"), fields: { handle: { label: "Handle of another playtester", id: "add" } } },
  async ({ call, form }) => {
    const body = { handle: form.add?.trim().toLowerCase() ?? "" };
    const { friend } = (await call("requestFriend", { idempotencyKey: form.formKey, body })).data;
    return `${portal.friends()}?done=${friend.status === "connected" ? "connected" : "sent"}`;
  },
);

const accept = action({ at: portal.friends.below(":id/accept") }, async ({ call, id, form }) => {
  await call("acceptFriend", { params: { id }, idempotencyKey: form.formKey });
  return `${portal.friends()}?done=connected`;
});

const remove = action({ at: portal.friends.below(":id/remove") }, async ({ call, id, form }) => {
  await call("removeFriend", { params: { id }, idempotencyKey: form.formKey });
  return `${portal.friends()}?done=removed`;
});

const block = action({ at: portal.friends.below("block") }, async ({ call, form }) => {
  await call("blockPlaytester", { idempotencyKey: form.formKey, body: { handle: form.who ?? "" } });
  return `${portal.friends()}?done=blocked`;
});

const save = action(
  { at: portal.friends.below("profile"), fields: { handle: { label: "Handle", id: "handle" } } },
  async ({ call, form }) => {
    const body = { handle: form.handle?.trim().toLowerCase() ?? "", available: form.available === "yes" };
    await call("updatePlaytesterProfile", { idempotencyKey: form.formKey, body });
    return `${portal.friends()}?done=saved`;
  },
);

export const friends: PortalPage = { at: portal.friends, view: friendsPage, actions: [add, accept, remove, block, save] };
