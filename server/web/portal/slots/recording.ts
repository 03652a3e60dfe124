import type { Device } from "../../../../src/contract/games.ts";
import { portal } from "../../../../src/contract/pages/addresses.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { signedInLayout } from "../layout.ts";
import type { PageContext, PortalPage } from "../types.ts";

const outside = (address: string, words: string): Markup =>
  html`<a href="${address}" target="_blank" rel="noopener">${words}<span class="hidden"> (opens in a new tab)</span></a>`;

const obs = outside("https://obsproject.com", "OBS Studio");

interface Guide {
  title: string;
  steps: Markup;
  /** What the maker says about it, which is where the steps are from. */
  maker: Markup;
}

/** How to record on each device that a game can be for. */
const guides: Record<Device, Guide> = {
  // From Microsoft's guides to Game Bar (the keys, Captures) and its AppCaptureSettings (the longest time, the microphone).
  PC: {
    title: "Windows",
    steps: html`<ol><li>Start the game, then press <kbd>Windows</kbd> + <kbd>G</kbd> to open Xbox Game Bar, which comes with Windows 10 and 11.</li>
<li>Turn the microphone on in its Capture window, or press <kbd>Windows</kbd> + <kbd>Alt</kbd> + <kbd>M</kbd> while it records.</li>
<li>Press <kbd>Windows</kbd> + <kbd>Alt</kbd> + <kbd>R</kbd> to start, and again to stop.</li>
<li>The MP4 file is in the folder Captures of your Videos.</li></ol>
<p class="soft">Game Bar records one window, and stops by itself after the longest time set in Windows under Settings, Gaming, Captures. To record more than one window, use ${obs} (free).</p>`,
    maker: outside(
      "https://support.xbox.com/en-US/help/friends-social-activity/share-socialize/record-game-clips-game-bar-windows-10",
      "Microsoft about Xbox Game Bar",
    ),
  },
  // From Apple's "How to record the screen on Mac".
  Mac: {
    title: "Mac",
    steps: html`<ol><li>Press <kbd>Shift</kbd> + <kbd>Command</kbd> + <kbd>5</kbd>.</li>
<li>Choose Record Entire Screen. Under Options, choose your microphone.</li>
<li>Click Record. To stop, click the stop button in the menu bar.</li>
<li>The MOV file is on your desktop, unless Options says another place.</li></ol>
<p class="soft">If the sound of the game is missing in the recording, use ${obs} (free).</p>`,
    maker: outside("https://support.apple.com/en-us/102618", "Apple about recording the screen of a Mac"),
  },
  // The names are those in OBS Studio's en-US.ini. GNOME: its help has no sound in it, and its screencastService.js no audio source.
  Linux: {
    title: "Linux",
    steps: html`<ol><li>Install ${obs} (free) from your distribution or as a Flatpak.</li>
<li>Add a source for the screen: Screen Capture (PipeWire) with Wayland, Display Capture (XSHM) with X11.</li>
<li>Check that the meter of Mic/Aux moves while you speak, and that of Desktop Audio while the game makes a sound.</li>
<li>Click Start Recording, and Stop Recording at the end. File, Show Recordings opens the folder.</li></ol>
<p class="soft">The recorder of GNOME records no sound, so your voice would be missing.</p>`,
    maker: outside("https://obsproject.com/kb/quick-start-guide", "The quick start guide of OBS Studio"),
  },
  // From Apple's "Record the screen on your iPhone, iPad, or iPod touch".
  iOS: {
    title: "iPhone and iPad",
    steps: html`<ol><li>Add Screen Recording to Control Center if it is not there.</li>
<li>Open Control Center, touch and hold the record button, and turn the microphone on.</li>
<li>Tap Start Recording, wait three seconds, leave Control Center, and play.</li>
<li>To stop, open Control Center and tap the red record button, or tap the red sign at the top of the screen and then Stop. The video is in Photos.</li></ol>
<p class="soft">Turn on Do Not Disturb first: notifications would be in the video.</p>`,
    maker: outside("https://support.apple.com/en-us/HT207935", "Apple about recording the screen of an iPhone or iPad"),
  },
  // From Google's "Take a screenshot or record your screen on your Android device".
  Android: {
    title: "Android",
    steps: html`<ol><li>Swipe down twice from the top of the screen and tap Screen record. You may have to swipe right to find it, or to add it to Quick Settings. On some phones it is called Screen recorder.</li>
<li>Choose to record the audio of the device and the microphone.</li>
<li>Tap Start, wait for the countdown, and play. To stop, swipe down from the top of the screen and tap the notification of the recorder.</li>
<li>The MP4 file is in your gallery or file manager, often in a folder for movies or screen recordings.</li></ol>
<p class="soft">Android has a recorder of its own since version 11. Turn on Do Not Disturb first: notifications would be in the video.</p>`,
    maker: outside("https://support.google.com/android/answer/9075928", "Google about recording the screen of an Android phone"),
  },
};

/** What an hour takes at 8 Mbit/s, which YouTube's "Recommended upload encoding settings" give for 1080p at up to 30 frames a second. */
const hourOfFullHd = html`An hour of Full HD video at 8 Mbit/s, the rate that YouTube recommends, takes ${(((8e6 / 8) * 3600) / 2 ** 30).toFixed(1)} GiB. Some recorders use higher rates.`;

/** `/play/help/recording`: how to record a video, for each device. */
async function recordingPage(context: PageContext): Promise<PageContent> {
  const body = html`<p>Record the screen and your voice. Say what you do, what you expect and what surprises you. Your face is not required.</p>
<ul class="links">${Object.entries(guides).map(([device, { title }]) => html`<li><a href="#${device}">${title}</a></li>`)}<li><a href="#web">Games in the browser</a></li></ul>
${Object.entries(guides).map(([device, { title, steps, maker }]) => html`<section id="${device}"><h2>${title}</h2>${steps}<p class="more">${maker}</p></section>`)}
<section id="web"><h2>Games in the browser</h2><p>Record as on the device where the browser runs. Record the window of the browser, with nothing private in other tabs.</p></section>
<section><h2>Before you start</h2>
<ul><li>Record half a minute, and watch it: can you hear yourself and see the game?</li>
<li>If your recorder lets you choose, select MP4 with H.264 (AVC) and AAC, or WebM with VP8 or VP9: everybody can watch these. Many browsers cannot show HEVC (H.265).</li>
<li>Check the free space. ${hourOfFullHd}</li>
<li>Close what the owner should not see: messages, mail, other windows.</li>
<li>The slot's page says how long the video should be, how large it can be, and which formats it can have.</li></ul></section>
<p class="more"><a href="${portal.slots()}">My slots</a></p>`;
  return signedInLayout(context, "slots", { title: "Record a playtest", body });
}

export const howToRecord: PortalPage = { at: portal.howToRecord, view: recordingPage };
