import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { fileSize } from "../../../lib/free-space.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { cursorOf, fault, marked, more, notice, prose, tokens } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { studioLayout } from "../layout.ts";
import { commands, trail } from "../parts.ts";
import { action, type StudioContext, type StudioHost, type StudioPage } from "../types.ts";
import { noBuildUrl } from "./form.ts";

type Game = Data<"getGame">["game"];
type Build = Data<"listBuilds">["builds"][number];
type Limits = Data<"getServerInfo">["limits"];

const whoGets =
  "Playtesters who claim a slot from now on get it, and those whose fixed time has not begun. Others who have a slot keep the build that they have, unless you return the slot after a problem that they reported.";

const said = new Map([
  ["created", "The game was created. Now upload a build, so that playtesters can play it."],
  ["uploaded", `The build was stored. ${whoGets}`],
  ["address", `The address was stored. ${whoGets}`],
]);

/** `/studio/games/ID/builds`: the builds of a game, newest first, and the form for another one. */
async function buildsPage(context: StudioContext): Promise<PageContent> {
  const { call, id } = context;
  const { game } = (await call("getGame", { params: { id } })).data;
  const { data, meta } = await call("listBuilds", { params: { id }, query: { cursor: cursorOf(context) } });
  const done = said.get(context.query.get("done") ?? "");
  const all = data.builds.filter(({ buildUrl }) => buildUrl !== noBuildUrl(context));
  // An earlier build that was made current again has the same address.
  const current = all.find(({ buildUrl }) => buildUrl === game.buildUrl);
  const list = html`<ul class="list">${all.map((build) => item(game, build, build === current))}</ul>`;
  const body = html`${trail(game)}${done && notice(done)}
${context.takesFiles ? uploadForm(context, game, (await call("getServerInfo")).data.limits) : byCommand(context, game)}
<section><h2>Builds</h2>
<div id="builds">${all.length > 0 ? list : html`<p class="calm">No builds yet.</p>`}${more(studio.builds(id), meta.cursor)}</div></section>
${addressForm(context)}`;
  const assets = context.takesFiles ? { scripts: ["upload.js"] } : {};
  return studioLayout(context, "games", { title: `Builds of ${game.name}`, body, assets });
}

const item = (game: Game, build: Build, isCurrent: boolean): Markup => {
  const { id, buildUrl, filename, size, sha256, version, channel, notes, createdAt } = build;
  const name = version ?? filename ?? "At an address";
  return html`<li class="card"><div class="head"><h3>${name}</h3>${isCurrent ? html`<span class="badge good">In use</span>` : ""}</div>
<ul class="facts"><li>${time(createdAt)}</li>${filename !== null && filename !== undefined && filename !== name && html`<li>${filename}</li>`}${typeof size === "number" && html`<li>${fileSize(size)}</li>`}${channel && html`<li>${channel}</li>`}${sha256 && html`<li>SHA-256 <code>${sha256.slice(0, 12)}…</code></li>`}</ul>
${notes && prose(notes)}
<p>${sha256 ? html`<a href="${download.at(game.id, id)}">Download<span class="hidden"> ${name}</span></a>` : html`<a href="${buildUrl}" rel="noopener noreferrer">${buildUrl}</a>`}</p></li>`;
};

const labelInputs = ({
  form,
}: StudioContext): Markup => html`<label for="version">Version or commit <span class="soft">(optional; such as 1.4.0 or 3f2a91b)</span></label>
<input id="version" name="version" autocomplete="off" maxlength="100" value="${form.version}">
<label for="channel">Channel <span class="soft">(optional; such as beta)</span></label>
<input id="channel" name="channel" autocomplete="off" maxlength="100" value="${form.channel}">
<label for="notes">Notes <span class="soft">(optional; only you see them)</span></label>
<textarea id="notes" name="notes" class="short" maxlength="5000">${form.notes}</textarea>`;

const fileForm = studio.builds.below("file");

/** The page's script sends the file to the API by tus. Without scripts, the form posts it. */
const uploadForm = (context: StudioContext, game: Game, { buildBytes }: Limits): Markup => html`<section><h2>Upload a build</h2>
<p>A file that playtesters download: best a zip file, at most ${fileSize(buildBytes)}.</p>
<form method="post" action="${fileForm(game.id)}" enctype="multipart/form-data" id="build-form">${tokens(context)}
${labelInputs(context)}
<div id="plain-upload"><label for="file">File</label>
<input id="file" name="build" type="file" required>
<button>Upload</button>
<p class="soft">Keep this page open until the upload is done. Without JavaScript, an interrupted upload starts over; with it, the upload resumes.</p></div></form>
<p id="build-state" role="status"></p>
<div class="note bad" id="build-error" role="alert" tabindex="-1" hidden></div>
<p class="note bad" id="build-warning" role="status" hidden></p>
<div id="upload" class="drop" hidden data-game="${game.id}" data-csrf="${context.session.csrf}" data-max-bytes="${buildBytes}">
<label for="build" id="build-label">Choose a file, or drop it here</label>
<input id="build" type="file">
<label class="check" id="build-secrets" hidden><input type="checkbox" id="include-secrets"> Send it although it contains files that look secret</label>
<div id="upload-progress" hidden><label for="progress">Uploaded: <span id="percent">0 %</span></label><progress id="progress" max="1" value="0"></progress>
<p class="soft" id="transfer"></p></div>
<button type="button" id="pause" hidden>Upload</button></div>
<p class="soft">To send a folder, or from a build server, use <code>playtest games push ./build ${game.id}</code>. It also looks for keys inside the files and makes programs for Linux and macOS executable.</p></section>`;

const byCommand = (context: StudioContext, game: Game): Markup =>
  commands(context, "Upload a build", [["A folder, a file or an address", `playtest games push ./build ${game.id}`]]);

const addressForm = (context: StudioContext): Markup => html`<section><h2>Or use an address</h2>
<p>For a build that playtesters get elsewhere, such as from a store.</p>
<form method="post" action="${useAddress.at(context.id)}">${tokens(context)}
<label for="build-url">Address</label>
<input id="build-url" name="buildUrl" type="url" maxlength="2048" placeholder="https://" value="${context.form.buildUrl}" required${marked(context, "build-url")}>
${fault(context, "build-url")}
<button class="quiet">Use this address</button></form></section>`;

const fields = { buildUrl: { label: "Address", id: "build-url" } };

const useAddress = action({ at: studio.builds.below("address"), fields }, async ({ call, id, form }) => {
  await call("updateGame", { params: { id }, idempotencyKey: form.formKey, body: { buildUrl: form.buildUrl?.trim() ?? "" } });
  return `${studio.builds(id)}?done=address`;
});

/** A signed link. It is created when the link is opened, because it is valid for an hour. */
const download = {
  at: studio.builds.below(":buildId/download"),
  async link({ call, ids }: StudioContext): Promise<string> {
    const [id = "", buildId = ""] = ids;
    return (await call("getBuildDownloadUrl", { params: { id, buildId } })).data.downloadUrl;
  },
};

export const builds = ({ files }: StudioHost): StudioPage => ({
  at: studio.builds,
  view: buildsPage,
  actions: [
    useAddress,
    ...(files ? [{ at: fileForm, serve: files.build(buildsPage, (id) => `${studio.builds(id)}?done=uploaded`) }] : []),
  ],
  files: [download],
});
