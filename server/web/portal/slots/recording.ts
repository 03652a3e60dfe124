import type { Device } from "../../../../src/contract/games.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { signedInLayout } from "../layout.ts";
import type { PageContext } from "../types.ts";

export const recordingPath = "/play/help/recording";

const obs = html`<a href="https://obsproject.com" target="_blank" rel="noopener">OBS Studio<span class="hidden"> (opens in a new tab)</span></a>`;

interface Guide {
  title: string;
  steps: Markup;
}

/** How to record on each device that a game can be for. */
const guides: Record<Device, Guide> = {
  PC: {
    title: "Windows",
    steps: html`<ol><li>Start the game, then press <kbd>Windows</kbd> + <kbd>G</kbd> to open Xbox Game Bar, which is part of Windows.</li>
<li>Turn the microphone on in its Capture window, or press <kbd>Windows</kbd> + <kbd>Alt</kbd> + <kbd>M</kbd> while it records.</li>
<li>Press <kbd>Windows</kbd> + <kbd>Alt</kbd> + <kbd>R</kbd> to start, and again to stop.</li>
<li>The MP4 file is in the folder Captures of your Videos.</li></ol>
<p class="soft">Game Bar records one window, and stops by itself after the longest time set in Windows under Settings, Gaming, Captures. To record more than one window, use ${obs} (free).</p>`,
  },
  Mac: {
    title: "Mac",
    steps: html`<ol><li>Press <kbd>Shift</kbd> + <kbd>Command</kbd> + <kbd>5</kbd>.</li>
<li>Choose Record Entire Screen. Under Options, choose your microphone.</li>
<li>Click Record. To stop, click the stop button in the menu bar.</li>
<li>The MOV file is on your desktop, unless Options says another place.</li></ol>
<p class="soft">To record the sound of the game too, use ${obs} (free).</p>`,
  },
  Linux: {
    title: "Linux",
    steps: html`<ol><li>Install ${obs} (free) from your distribution or as a Flatpak.</li>
<li>Add a source for the screen: Screen Capture (PipeWire) with Wayland, Screen Capture (XSHM) with X11.</li>
<li>Check that the meters of Desktop Audio and Mic/Aux move while you speak.</li>
<li>Click Start Recording, and Stop Recording at the end. File, Show Recordings opens the folder.</li></ol>
<p class="soft">The recorder of GNOME records no sound, so your voice would be missing.</p>`,
  },
  iOS: {
    title: "iPhone and iPad",
    steps: html`<ol><li>Add Screen Recording to Control Center if it is not there.</li>
<li>Open Control Center, touch and hold the record button, and turn the microphone on.</li>
<li>Tap Start Recording, wait three seconds, and play.</li>
<li>Tap the red sign at the top of the screen to stop. The video is in Photos.</li></ol>
<p class="soft">Turn on Do Not Disturb first: notifications would be in the video.</p>`,
  },
  Android: {
    title: "Android",
    steps: html`<ol><li>Swipe down twice from the top of the screen and tap Screen record. On some phones it is called Screen recorder, or has to be added to Quick Settings.</li>
<li>Choose to record the audio of the device and the microphone.</li>
<li>Start, play, and stop from the notification.</li>
<li>The MP4 file is in your gallery or file manager, often in a folder for screen recordings.</li></ol>
<p class="soft">Android has a recorder of its own since version 11. Turn on Do Not Disturb first: notifications would be in the video.</p>`,
  },
};

/** `/play/help/recording`: how to record a video, for each device. */
export async function recordingPage(context: PageContext): Promise<PageContent> {
  const body = html`<p>Record the screen and your voice. Say what you do, what you expect and what surprises you. Your face is not required.</p>
<ul class="links">${Object.entries(guides).map(([device, { title }]) => html`<li><a href="#${device}">${title}</a></li>`)}<li><a href="#web">Games in the browser</a></li></ul>
${Object.entries(guides).map(([device, { title, steps }]) => html`<section id="${device}"><h2>${title}</h2>${steps}</section>`)}
<section id="web"><h2>Games in the browser</h2><p>Record as on the device where the browser runs. Record the window of the browser, with nothing private in other tabs.</p></section>
<section><h2>Before you start</h2>
<ul><li>Record half a minute, and watch it: can you hear yourself and see the game?</li>
<li>Check the free space. An hour of video in Full HD takes a few GiB.</li>
<li>Close what the owner should not see: messages, mail, other windows.</li>
<li>The slot's page says how long and how large the video can be, and in which formats.</li></ul></section>
<p class="more"><a href="/play/slots">My slots</a></p>`;
  return signedInLayout(context, "slots", { title: "Record a playtest", body });
}
