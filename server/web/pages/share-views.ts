import type { Cue } from "../../../src/contract/text/cues.ts";
import { positionInLink, positionText } from "../../../src/contract/text/position.ts";
import type { OpenShare, SharedDetail, SharedMoment, SharedVideo } from "../../sharing/shares/public.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { atSeconds, player, playerScript, playerStyle } from "../player/markup.ts";
import type { Site } from "../site.ts";

/** The pages of a share: its password, the list of the videos of a playtest, and a video with what was said and noted. */

export const shareStyle = `
.videos { list-style: none; margin: 1rem 0 0; padding: 0; } .videos li { padding: .6rem 0; border-top: 1px solid var(--line); }
`;

export function passwordPage(wrong: boolean): PageContent {
  return {
    title: "This page needs a password",
    body: html`<form method="post">
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="200" autocomplete="current-password"${wrong && html` aria-invalid="true" aria-describedby="wrong"`}>
${wrong && html`<p id="wrong" class="bad" role="alert">This password is wrong.</p>`}
<button class="wide">Open</button></form>
<p class="soft">You got the link to this page from the owner of a game. Ask them for the password.</p>`,
  };
}

const titleOf = ({ gameName, playtesterName }: SharedVideo) =>
  playtesterName === null ? `Playtest of ${gameName}` : `${playtesterName} plays ${gameName}`;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const day = (ms: number) => html`<time datetime="${new Date(ms).toISOString()}">${dayOf(ms)}</time>`;

const facts = ({ lengthMs, submittedAt }: SharedVideo) =>
  html`${lengthMs === null ? "Submitted" : html`${positionText(lengthMs)}, submitted`} ${day(submittedAt)}`;

const until = ({ expiresAt }: OpenShare) => html`<p class="soft">This link works until ${day(expiresAt)}.</p>`;

/** Previews of a link are shown by whoever it is sent through, so a page with a password has none. */
const preview = (site: Site, title: string, description: string) => ({
  preview: { type: "website", site_name: site.name, title, description },
});

/** The videos of a playtest. */
export function listPage(site: Site, path: string, share: OpenShare): PageContent {
  const { videos, hasPassword } = share;
  const title = `Playtests of ${videos[0]!.gameName}`;
  const count = videos.length === 1 ? "1 video" : `${videos.length} videos`;
  const rows = videos.map(
    (video, index) =>
      html`<li><a href="${path}/${video.slotId}">${video.playtesterName ?? `Video ${index + 1}`}</a> <span class="soft">${facts(video)}</span></li>`,
  );
  return {
    title,
    wide: true,
    assets: { style: "share.css" },
    ...(!hasPassword && preview(site, title, `${count} of people who play ${videos[0]!.gameName}.`)),
    body: html`<p>${count}</p><ul class="videos">${rows}</ul>${until(share)}`,
  };
}

/** To a position: `data-at` for the player's script, `?t=761` for a page without scripts. */
const positionLink = (ms: number, label: Markup) =>
  html`<a href="?t=${atSeconds(ms)}#t=${positionInLink(ms)}" data-at="${ms}">${label}</a>`;

const kinds = { bug: "Bug", confusion: "Confusion", delight: "Delight", idea: "Idea", note: "Note" } as const;

const momentRow = ({ atMs, endMs, kind, text }: SharedMoment) => {
  const label = endMs === null ? positionText(atMs) : `${positionText(atMs)}–${positionText(endMs)}`;
  return html`<tr><td>${positionLink(atMs, html`${label}`)}</td><td>${kinds[kind]}</td><td>${text}</td></tr>`;
};

const section = (title: string, present: boolean, body: () => Markup) => present && html`<h2>${title}</h2>${body()}`;

const cueRow = ({ startMs, text }: Cue) =>
  html`<li>${positionLink(startMs, html`<time>${positionText(startMs)}</time><span>${text}</span>`)}</li>`;

const marksOf = (moments: readonly SharedMoment[]) =>
  moments.map(({ atMs, endMs, kind, text }) => ({ startMs: atMs, endMs, kind, label: `${kinds[kind]}: ${text}` }));

export interface VideoPage {
  /** The path of the share, and where the video starts (ms). */
  path: string;
  startMs: number;
}

/** A video with its captions, takeaways, notes and transcript. */
export function videoPage(site: Site, share: OpenShare, video: SharedDetail, { path, startMs }: VideoPage): PageContent {
  const title = titleOf(video);
  const files = `${path}/${video.slotId}`;
  const { lengthMs, takeaways, moments, cues } = video;
  const description = lengthMs === null ? "A playtest on video." : `A playtest on video, ${positionText(lengthMs)}.`;
  const played = player({
    src: `${files}/video`,
    label: title,
    startMs,
    ...(video.hasCaptions && { captions: `${files}/captions` }),
    ...(lengthMs !== null && { lengthMs }),
    marks: marksOf(moments),
  });
  const body = html`${played}
<p class="soft">${facts(video)}</p>
${section("Takeaways", takeaways.length > 0, () => html`<ul>${takeaways.map((line) => html`<li>${line}</li>`)}</ul>`)}
${section("Notes", moments.length > 0, () => html`<table><thead><tr><th>Time</th><th>Kind</th><th>Note</th></tr></thead><tbody>${moments.map(momentRow)}</tbody></table>`)}
${section("Transcript", cues.length > 0, () => html`<div class="cues" role="region" aria-label="Transcript" tabindex="0"><ol>${cues.map(cueRow)}</ol></div>`)}
${!share.isSingle && html`<p><a href="${path}">All videos</a></p>`}${until(share)}`;
  return {
    title,
    wide: true,
    body,
    assets: { style: playerStyle, scripts: [playerScript] },
    ...(!share.hasPassword && preview(site, title, description)),
  };
}
