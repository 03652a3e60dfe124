import { kindTitles } from "../../../src/contract/moments/kinds.ts";
import { pages } from "../../../src/contract/pages/addresses.ts";
import type { Cue } from "../../../src/contract/text/cues.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { positionInLink, positionText } from "../../../src/contract/text/position.ts";
import type { OpenShare, SharedDetail, SharedMoment, SharedVideo } from "../../sharing/shares/public.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { atSeconds, player, playerScript, playerStyle } from "../player/markup.ts";
import { time } from "../shared/text.ts";
import type { Site } from "../site.ts";
import { named } from "./dead-link.ts";

/** The pages of a share: its password, the list of the videos of a playtest, and a video with what was said and noted. */

export const shareStyle = `
.videos { list-style: none; margin: 1rem 0 0; padding: 0; } .videos li { padding: .6rem 0; border-top: 1px solid var(--line); }
main { overflow-wrap: break-word; }
td:last-child { overflow-wrap: anywhere; unicode-bidi: plaintext; white-space: pre-line; }
`;

export function passwordPage(wrong: boolean): PageContent {
  return {
    title: "This page needs a password",
    body: html`<form method="post">
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="200" autocomplete="current-password"${wrong && html` aria-invalid="true" aria-describedby="wrong"`}>
${wrong && html`<p id="wrong" class="bad" role="alert">This password is wrong.</p>`}
<button class="wide">Open</button></form>
<p class="soft">The owner of a game set this password. Ask whoever sent you the link for it.</p>`,
  };
}

/** The page of a link that expired or, without a time, that is not known here. */
export const endedPage = (site: Site, expiredAt: number | undefined): PageContent =>
  named(site, {
    title: expiredAt === undefined ? "This link shows nothing" : "This link has expired",
    body: html`<p>${
      expiredAt === undefined
        ? "This link is not known here. It may be incomplete, or the owner of the game ended it. Open it again as a whole from where you got it, or ask whoever sent it for a new one."
        : html`This link expired ${time(new Date(expiredAt).toISOString())}. Ask whoever sent it for a new one.`
    }</p><p class="more"><a href="${pages.home()}">${site.name}</a></p>`,
  });

const titleOf = ({ gameName, playtesterName }: SharedVideo) =>
  playtesterName === null ? `Playtest of ${gameName}` : `${playtesterName} plays ${gameName}`;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const day = (ms: number) => html`<time datetime="${new Date(ms).toISOString()}">${dayOf(ms)}</time>`;

const facts = ({ lengthMs, submittedAt }: SharedVideo) =>
  html`${lengthMs === null ? "Submitted" : html`${positionText(lengthMs)}, submitted`} ${day(submittedAt)}`;

const until = ({ expiresAt }: OpenShare) =>
  html`<p class="soft">This link works until ${time(new Date(expiresAt).toISOString())}.</p>`;

/** Previews of a link are shown by whoever it is sent through, so a page with a password has none. */
const preview = (site: Site, title: string, description: string, image: string | false) => ({
  preview: { type: "website", site_name: site.name, title, description, ...(image && { image: site.baseUrl + image }) },
});

/** The path of the image of a video of a share; false without one. */
const posterOf = (path: string, { slotId, hasPoster }: SharedVideo) => hasPoster && `${path}/${slotId}/poster`;

/** The videos of a playtest. */
export function listPage(site: Site, path: string, share: OpenShare): PageContent {
  const { videos, hasPassword } = share;
  const title = `Playtests of ${videos[0]!.gameName}`;
  const count = plural(videos.length, "video");
  const rows = videos.map(
    (video, index) =>
      html`<li><a href="${path}/${video.slotId}">${video.playtesterName ?? `Video ${index + 1}`}</a> <span class="soft">${facts(video)}</span></li>`,
  );
  return {
    title,
    wide: true,
    assets: { style: "share.css" },
    ...(!hasPassword && preview(site, title, `${count} of people who play ${videos[0]!.gameName}.`, posterOf(path, videos[0]!))),
    body: html`<p>${count}</p><ul class="videos">${rows}</ul>${until(share)}`,
  };
}

/** To a position: `data-at` for the player's script, `?t=761` for a page without scripts. */
const positionLink = (ms: number, label: Markup) =>
  html`<a href="?t=${atSeconds(ms)}#t=${positionInLink(ms)}" data-at="${ms}">${label}</a>`;

const momentRow = (files: string, { id, atMs, endMs, kind, text, hasStill }: SharedMoment) => {
  const label = endMs === null ? positionText(atMs) : `${positionText(atMs)}–${positionText(endMs)}`;
  return html`<tr><td>${positionLink(atMs, html`${label}`)}</td><td>${kindTitles[kind]}</td><td>${text}${hasStill && html`<p class="still"><a href="${files}/stills/${id}"><img src="${files}/thumbnails/${id}" alt="The video at ${positionText(atMs)}" loading="lazy"></a></p>`}</td></tr>`;
};

const section = (title: string, present: boolean, body: () => Markup) => present && html`<h2>${title}</h2>${body()}`;

const cueRow = ({ startMs, text }: Cue) =>
  html`<li>${positionLink(startMs, html`<time>${positionText(startMs)}</time><span>${text}</span>`)}</li>`;

const marksOf = (moments: readonly SharedMoment[]) =>
  moments.map(({ atMs, endMs, kind, text }) => ({ startMs: atMs, endMs, kind, label: `${kindTitles[kind]}: ${text}` }));

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
  const poster = posterOf(path, video);
  const description = lengthMs === null ? "A playtest on video." : `A playtest on video, ${positionText(lengthMs)}.`;
  const played = player({
    src: `${files}/video`,
    label: title,
    startMs,
    ...(video.hasCaptions && { captions: `${files}/captions` }),
    ...(lengthMs !== null && { lengthMs }),
    ...(poster && { poster }),
    marks: marksOf(moments),
  });
  const body = html`${played}
<p class="soft">${video.clipName !== null && `Clip: ${video.clipName} · `}${facts(video)}</p>
${section("Takeaways", takeaways.length > 0, () => html`<ul>${takeaways.map((line) => html`<li>${line}</li>`)}</ul>`)}
${section("Notes", moments.length > 0, () => html`<table><thead><tr><th>Time</th><th>Kind</th><th>Note</th></tr></thead><tbody>${moments.map((moment) => momentRow(files, moment))}</tbody></table>`)}
${section("Transcript", cues.length > 0, () => html`<div class="cues" role="region" aria-label="Transcript" tabindex="0"><ol>${cues.map(cueRow)}</ol></div>`)}
${!share.isSingle && html`<p><a href="${path}">All videos</a></p>`}${until(share)}`;
  return {
    title,
    wide: true,
    body,
    assets: { style: ["share.css", playerStyle], scripts: [playerScript] },
    ...(!share.hasPassword && preview(site, title, description, poster)),
  };
}
