import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { html, type Markup } from "../../html.ts";
import { fault, marked, tokens } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { ifAllowed } from "../allowed.ts";
import { everyItem } from "../every-item.ts";
import { commandButton, plural } from "../parts.ts";
import { action, type StudioContext } from "../types.ts";

export type Share = Data<"listShares">["shares"][number];

/** What a link shows: the video of a slot, or those of a playtest. */
type Shared = "slots" | "playtests";

const day = 86_400;
const lengths = [1, 7, 14, 30, 90].map((days) => [String(days * day), plural(days, "day")] as const);
const usual = String(14 * day);
const pageSize = 100;

/**
 * The links to a slot and its clips, or to a playtest, that still work. Undefined where the server has none. The list of a playtest has those
 * of its slots too, so it is read to its end: an account has at most 1,000.
 */
export async function sharesOf({ call, id }: StudioContext, of: Shared): Promise<Share[] | undefined> {
  const kinds = of === "slots" ? ["slot", "clip"] : ["playtest"];
  const shares = everyItem(async (cursor) => {
    const query = { limit: pageSize, cursor, ...(of === "slots" ? { slot: id } : { playtest: id }) };
    const { data, meta } = await call("listShares", { query });
    return { items: data.shares, meta };
  });
  return (await ifAllowed(shares))?.filter(({ kind, state }) => kinds.includes(kind) && state === "active");
}

type NamedClip = Pick<Data<"getClip">["clip"], "id" | "name" | "status">;

/** What of a video is shared: all of it or one of its clips. */
function whatField({ form, query }: StudioContext, clips: readonly NamedClip[]): Markup | false {
  const chosen = form.clip ?? query.get("clip");
  const ready = clips.filter(({ status }) => status === "ready");
  return (
    ready.length > 0 &&
    html`<label for="share-clip">What is shared</label>
<select id="share-clip" name="clip"><option value="">The whole video</option>${ready.map((clip) => html`<option value="${clip.id}"${clip.id === chosen && html` selected`}>The clip ${clip.name}</option>`)}</select>`
  );
}

/** The public links to a video or to those of a playtest, and the form that makes one. */
export function sharesSection(
  context: StudioContext,
  of: Shared,
  shares: readonly Share[] | undefined,
  clips: readonly NamedClip[] = [],
): Markup | false {
  if (!shares) return false;
  const { form, id, query } = context;
  const { create, end } = shareActions[of];
  const title = of === "slots" ? "Share this video" : "Share the videos";
  const open = form.validForSeconds !== undefined || query.has("clip");
  return html`<section class="review-card" id="shares"><h2>${title}</h2>
${shares.length > 0 && html`<ul class="shared">${shares.map((share) => row(context, end.at(id), share, clips.find(({ id: clipId }) => clipId === share.clipId)?.name))}</ul>`}
<details${open && html` open`}><summary>Make a link</summary><form method="post" action="${create.at(id)}" data-command="share" data-shared="${id}">${tokens(context)}
<p class="soft">Whoever has the link can watch without an account, with the password if you set one.</p>
${whatField(context, clips)}
<label for="validForSeconds">It works for</label>
<select id="validForSeconds" name="validForSeconds">${lengths.map(([value, label]) => html`<option value="${value}"${value === (form.validForSeconds ?? usual) && html` selected`}>${label}</option>`)}</select>
<label for="share-password">Password <span class="soft">(optional)</span></label>
<input id="share-password" name="password" type="password" minlength="8" maxlength="200" autocomplete="new-password"${marked(context, "share-password")}>${fault(context, "share-password")}
<label class="check"><input type="checkbox" name="withNotes" value="yes"${form.withNotes && html` checked`}> Show the moments that you noted</label>
<label class="check"><input type="checkbox" name="withName" value="yes"${form.withName && html` checked`}> Name the playtester</label>
<button class="quiet">Make a link</button></form>
${commandButton(context, `playtest review share ${id}`)}</details></section>`;
}

function row(
  context: StudioContext,
  endPath: string,
  { id, url, kind, hasPassword, withName, withNotes, views, expiresAt }: Share,
  clipName: string | undefined,
): Markup {
  const facts = [
    kind === "clip" && (clipName === undefined ? "a clip" : `the clip ${clipName}`),
    hasPassword && "with a password",
    withNotes && "with moments",
    withName && "with the name",
    plural(views, "view"),
  ];
  return html`<li><a href="${url}" rel="noreferrer">${url}</a> <button type="button" class="quiet copy" data-copy="${url}" hidden>Copy<span class="hidden"> the link</span></button>
<p class="soft">${facts.filter((fact) => fact !== false).join(" · ")} · until ${time(expiresAt)}</p>
<form method="post" action="${endPath}">${tokens(context)}<input type="hidden" name="share" value="${id}"><button class="link">End this link now</button></form></li>`;
}

const actionsOf = (page: typeof studio.slot | typeof studio.playtest, whole: "createSlotShare" | "createPlaytestShare") => ({
  create: action(
    {
      at: page.below("shares"),
      fields: {
        password: { label: "Password", id: "share-password" },
        validForSeconds: { label: "It works for", id: "validForSeconds" },
      },
    },
    async ({ call, id, form }) => {
      const body = {
        validForSeconds: Number(form.validForSeconds ?? usual),
        ...(form.password && { password: form.password }),
        withNotes: form.withNotes === "yes",
        withName: form.withName === "yes",
      };
      const [operation, shared] = form.clip ? (["createClipShare", form.clip] as const) : ([whole, id] as const);
      await call(operation, { params: { id: shared }, idempotencyKey: form.formKey, body });
      return `${page(id)}?done=shared#shares`;
    },
  ),
  end: action({ at: page.below("shares/end") }, async ({ call, id, form }) => {
    await call("deleteShare", { params: { id: form.share ?? "" }, idempotencyKey: form.formKey });
    return `${page(id)}?done=unshared#shares`;
  }),
});

export const shareActions = {
  slots: actionsOf(studio.slot, "createSlotShare"),
  playtests: actionsOf(studio.playtest, "createPlaytestShare"),
};

export const shareNotices: readonly (readonly [string, string])[] = [
  ["shared", "The link is made. Copy it from the list."],
  ["unshared", "The link has ended: it no longer works."],
];
