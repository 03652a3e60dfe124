import { type Device, deviceNames, type Platform, platformNames } from "../../../../src/contract/games.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { pages, studio } from "../../../../src/contract/pages/addresses.ts";
import { invalid } from "../../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { deviceLabels } from "../../shared/devices.ts";
import { edit } from "../../shared/edit.ts";
import { fault, marked, notice, tokens } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import { trail } from "../parts.ts";
import { action, type StudioContext, type StudioHost, type StudioPage } from "../types.ts";

type Game = Data<"getGame">["game"];
type Category = Data<"listCategories">["categories"][number];

const labels = {
  name: { label: "Name", id: "name" },
  description: { label: "Description", id: "description" },
  instructions: { label: "Instructions", id: "instructions" },
  buildUrl: { label: "Address of the build", id: "build-url" },
  coverImageUrl: { label: "Address of a picture", id: "cover-url" },
  externalUrl: { label: "Website", id: "website" },
  "languages.0": { label: "Languages", id: "languages" },
  languages: { label: "Languages", id: "languages" },
  devices: { label: "It runs on", id: "devices" },
  platforms: { label: "It is published at", id: "platforms" },
  tags: { label: "Categories", id: "categories" },
};

/** The address that a game has until its first build. */
export const noBuildUrl = ({ site }: Pick<StudioContext, "site">): string => site.baseUrl + pages.noBuild();

/** `/studio/games/new`. */
async function newGamePage(context: StudioContext): Promise<PageContent> {
  const canUpload = await context.offers("createBuildUpload");
  const body = html`${trail()}
<form method="post" action="${create.at()}">${tokens(context)}
${await inputs(context, undefined)}
<label for="build-url">Where playtesters get the game <span class="soft">${canUpload ? "(optional: you can upload a build in the next step)" : "(the address of a build)"}</span></label>
<input id="build-url" name="buildUrl" type="url" maxlength="2048" placeholder="https://" value="${context.form.buildUrl}"${!canUpload && html` required`}${marked(context, "build-url")}>
${fault(context, "build-url")}
<button>Create the game</button></form>`;
  return studioLayout(context, "games", { title: "New game", body });
}

const create = action({ at: studio.newGame, fields: labels }, async (context) => {
  const { call, form } = context;
  const given = form.buildUrl?.trim() ?? "";
  if (given === "" && !(await context.offers("createBuildUpload"))) throw invalid("buildUrl", "is required");
  const { description, instructions, coverImageUrl, externalUrl, ...fields } = bodyOf(form);
  const body = {
    ...fields,
    buildUrl: given || noBuildUrl(context),
    ...(description && { description }),
    ...(instructions && { instructions }),
    ...(coverImageUrl && { coverImageUrl }),
    ...(externalUrl && { externalUrl }),
  };
  const { game } = (await call("createGame", { idempotencyKey: form.formKey, body })).data;
  return given === "" ? `${studio.builds(game.id)}?done=created` : `${studio.game(game.id)}?done=created`;
});

export const newGame: StudioPage = { at: studio.newGame, view: newGamePage, actions: [create] };

/** `/studio/games/ID/edit`. */
export async function editGamePage(context: StudioContext): Promise<PageContent> {
  const { game } = (await context.call("getGame", { params: { id: context.id } })).data;
  const body = html`${trail(game)}${context.query.get("done") === "picture" && notice("The picture was stored.")}
<form method="post" action="${save.at(game.id)}">${tokens(context)}${edited.marks(context.form, valuesOf(game))}
${await inputs(context, game)}
<button>Save</button></form>
${context.takesFiles && picture(context, game)}
<p class="more"><a href="${studio.builds(game.id)}">Builds of this game</a></p>`;
  return studioLayout(context, "games", { title: `Edit ${game.name}`, body });
}

const pictureForm = studio.editGame.below("picture");

const picture = (context: StudioContext, game: Game): Markup => html`<section><h2>Picture</h2>
<p class="soft">Shown with the game. A PNG, JPEG, WebP or GIF of at most 1 MiB; 16 to 9 fits best.</p>
${isOwnPicture(context, game) && html`<p><img class="cover" src="${new URL(game.coverImageUrl!).pathname}" alt="The picture of ${game.name}" width="160" height="90"></p>`}
<form method="post" action="${pictureForm(game.id)}" enctype="multipart/form-data">${tokens(context)}
<label for="picture">Choose a picture</label>
<input id="picture" name="picture" type="file" accept="image/png,image/jpeg,image/webp,image/gif" required>
<button class="quiet">Upload the picture</button></form></section>`;

/** Whether the picture is stored here, and not fetched from another address. */
const isOwnPicture = ({ site }: StudioContext, { id, coverImageUrl }: Game): boolean =>
  coverImageUrl?.startsWith(`${site.baseUrl}/covers/${id}/`) ?? false;

const save = action({ at: studio.editGame, fields: labels }, async ({ call, id, form }) => {
  const { game } = (await call("getGame", { params: { id } })).data;
  const body = edited.changes(form, valuesOf(game), { tags: game.categories.map(({ name }) => name) });
  await call("updateGame", { params: { id }, idempotencyKey: form.formKey, body });
  return `${studio.game(id)}?done=saved`;
});

export const editGame = ({ files }: StudioHost): StudioPage => ({
  at: studio.editGame,
  view: editGamePage,
  actions: [
    save,
    ...(files ? [{ at: pictureForm, serve: files.cover(editGamePage, (id) => `${studio.editGame(id)}?done=picture`) }] : []),
  ],
});

const boxes = { device: "device-", platform: "platform-", tag: "tag-" } as const;

const chosen = (form: StudioContext["form"], prefix: string): string[] =>
  Object.keys(form).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));

const textOf = (given: string | undefined): string | null => given?.trim() || null;

/** What was filled in. The operation says what is wrong with it. */
const bodyOf = (form: StudioContext["form"]) => ({
  name: form.name?.trim() ?? "",
  description: textOf(form.description),
  instructions: textOf(form.instructions),
  coverImageUrl: textOf(form.coverImageUrl),
  externalUrl: textOf(form.externalUrl),
  devices: chosen(form, boxes.device) as Device[],
  platforms: chosen(form, boxes.platform) as Platform[],
  languages: (form.languages ?? "").split(/[\s,]+/).filter((tag) => tag !== ""),
  tags: chosen(form, boxes.tag),
});

const edited = edit("game", bodyOf);

/** What the game has in the fields of the form. */
const valuesOf = (game: Game) => ({ ...game, tags: game.categories.map(({ id }) => id) });

async function inputs(context: StudioContext, game: Game | undefined): Promise<Markup> {
  const { form } = context;
  const { categories } = (await context.call("listCategories")).data;
  // The form of the picture is posted from this page too, without these fields.
  const isFresh = form.name === undefined;
  const isChosen = (name: string, before: boolean) => (isFresh ? before : form[name] === "yes");
  const box = (name: string, label: string, before: boolean) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="yes"${isChosen(name, before) && html` checked`}> ${label}</label>`;
  const text = (id: keyof typeof labels, name: string, label: string, hint: string, before: string | null | undefined) =>
    html`<label for="${labels[id].id}">${label} <span class="soft">(${hint})</span></label>
<textarea id="${labels[id].id}" name="${name}" maxlength="5000"${marked(context, labels[id].id)}>${form[name] ?? before}</textarea>
${fault(context, labels[id].id)}`;
  const line = (id: keyof typeof labels, name: string, hint: string, type: string, before: string | null | undefined) =>
    html`<label for="${labels[id].id}">${labels[id].label} <span class="soft">(${hint})</span></label>
<input id="${labels[id].id}" name="${name}" type="${type}" maxlength="2048" value="${form[name] ?? before}"${marked(context, labels[id].id)}>
${fault(context, labels[id].id)}`;
  return html`<label for="name">Name</label>
<input id="name" name="name" autocomplete="off" maxlength="200" value="${form.name ?? game?.name}" required${marked(context, "name")}>
${fault(context, "name")}
${text("description", "description", "Description", "optional; playtesters see it before they take part", game?.description)}
${text("instructions", "instructions", "Instructions", "optional; only for playtesters who take part", game?.instructions)}
<fieldset id="devices" tabindex="-1"><legend>It runs on</legend>${deviceNames.map((name) => box(boxes.device + name, deviceLabels[name], game?.devices.includes(name) ?? false))}${fault(context, "devices")}</fieldset>
<fieldset id="platforms" tabindex="-1"><legend>It is published at</legend>${platformNames.map((name) => box(boxes.platform + name, name, game?.platforms.includes(name) ?? false))}${fault(context, "platforms")}</fieldset>
${categoryBoxes(context, categories, (one) => box(boxes.tag + one.id, one.name, game?.categories.some(({ id }) => id === one.id) ?? false))}
${line("languages", "languages", "optional; as tags, such as en, pt-BR", "text", game?.languages?.join(", "))}
${line("externalUrl", "externalUrl", "optional; such as its store page", "url", game?.externalUrl)}
${line("coverImageUrl", "coverImageUrl", context.takesFiles ? "optional; or upload one when the game is created" : "optional", "url", game?.coverImageUrl)}`;
}

const categoryBoxes = (context: StudioContext, categories: readonly Category[], box: (one: Category) => Markup) =>
  categories.length > 0 &&
  html`<details${context.faults.categories !== undefined && html` open`}><summary>Categories</summary><fieldset id="categories" tabindex="-1"><legend>Categories</legend>${categories.map(box)}${fault(context, "categories")}</fieldset></details>`;
