/**
 * Takes the README's picture of Studio: a review in Chromium, of a sandbox server's data and a drawn video. Needs Chromium, ffmpeg and
 * ImageMagick, and the packages of the tests: `npx tsx test/docs/studio-picture.ts`.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "playtest-picture-"));
const inFolder = (name: string) => join(folder, name);

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr}`);
  return stdout.trim();
}
const env: NodeJS.ProcessEnv = { ...process.env, HOME: folder, PLAYTEST_CONFIG_DIR: inFolder("config"), NO_COLOR: "1" };
const playtest = (...args: string[]) => run(process.execPath, join(root, "bin/playtest.js"), ...args);

/** A cave with a lantern: what a playtester might see. */
const scene = `<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720" viewBox="0 0 1280 720">
<defs><radialGradient id="glow" cx="430" cy="430" r="520" gradientUnits="userSpaceOnUse"><stop offset="0" stop-color="#ffd98a"/><stop offset=".12" stop-color="#c98f45"/><stop offset=".4" stop-color="#4b3a4a"/><stop offset="1" stop-color="#11131f"/></radialGradient></defs>
<rect width="1280" height="720" fill="url(#glow)"/>
<path d="M0 0H1280V150L1190 210 1120 120 1040 260 960 140 860 190 800 110 700 200 640 120 560 170 470 90 380 180 300 110 210 220 120 130 60 240 0 160Z" fill="#0b0d16"/>
<path d="M0 720V600L140 570 300 590 520 580 640 610 700 700 820 700 860 590 1010 560 1280 600V720Z" fill="#0d101b"/>
<path d="M640 610 700 700H820L860 590Z" fill="#27506b"/><path d="M690 640H840M700 665H830" stroke="#4c86a8" stroke-width="4"/>
<path d="M980 560V360q60-70 120 0V565Z" fill="#05060c" stroke="#2b2733" stroke-width="10"/>
<circle cx="345" cy="430" r="30" fill="#1a1520"/><path d="M305 580 318 470q27-18 54 0L385 580Z" fill="#221a28"/><path d="M365 485 425 455" stroke="#221a28" stroke-width="14"/>
<path d="M430 405V425" stroke="#1a1520" stroke-width="4"/><rect x="414" y="425" width="32" height="44" rx="6" fill="#ffe9b8" stroke="#3a2a1a" stroke-width="5"/>
<g font-family="sans-serif" font-weight="700" fill="#f3ead7"><text x="48" y="670" font-size="30">OIL</text><text x="1060" y="670" font-size="30">DEPTH 2</text></g>
<rect x="120" y="646" width="220" height="26" rx="6" fill="#0008" stroke="#f3ead7" stroke-width="3"/><rect x="123" y="649" width="70" height="20" rx="4" fill="#e8a33d"/></svg>`;

const said = [
  "Okay, second depth. It is really dark down here.",
  "I have a third of my oil left, that should be enough.",
  "Is that a door on the right? I cannot make it out.",
  "Wait. Why did it go out? I still had oil.",
  "Oh no. Oh no, I can hear something.",
  "I will try to find the water by ear, it was on the right.",
  "That is clever: the bridge is where the drops are loudest.",
  "Now I want to light it again, but there is no button for it.",
];
const notes = [
  ["2:10", "The water lights up before anything else does. Lovely.", "--kind", "delight"],
  ["12:41", "The lantern goes out with oil left.", "--kind", "bug", "--severity", "3", "--tag", "lantern"],
  ["13:20-13:52", "Looks for a button to light it again: there is none on the pad.", "--kind", "confusion"],
  ["31:05", "Let the drops guide to the second bridge too.", "--kind", "idea"],
  ["44:30", "Falls through the lift when it stops.", "--kind", "bug", "--severity", "2"],
];
const startSeconds = 12 * 60 + 20;
const clock = (seconds: number) =>
  `00:${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}.000`;
const transcript = said
  .map((text, i) => `${clock(startSeconds + i * 7)} --> ${clock(startSeconds + i * 7 + 6)}\n${text}\n`)
  .join("\n");

writeFileSync(inFolder("server.json"), JSON.stringify({ clips: { ffmpeg: ["ffmpeg"] } }));
const ready = inFolder("ready.json");
const executablePath = process.env.PLAYTEST_TEST_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const serving = [
  "serve",
  "run",
  "--ephemeral",
  "--config",
  inFolder("server.json"),
  "--seed",
  "demo",
  "--port",
  "0",
  "--ready-file",
  ready,
];
const server = spawn(process.execPath, [join(root, "bin/playtest.js"), ...serving], { env, stdio: "ignore" });
try {
  const drawing = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await drawing.setContent(`<style>body { margin: 0 }</style>${scene}`);
  await drawing.screenshot({ path: inFolder("scene.png") });
  const picture = ["-loop", "1", "-framerate", "1", "-i", "scene.png"];
  const sound = [
    "-f",
    "lavfi",
    "-i",
    "anoisesrc=amplitude=0.05:sample_rate=8000",
    "-af",
    "volume='0.2+0.8*abs(sin(t/47))':eval=frame",
  ];
  const format = [
    "-t",
    "3000",
    "-c:v",
    "libx264",
    "-preset",
    "ultrafast",
    "-tune",
    "stillimage",
    "-pix_fmt",
    "yuv420p",
    "-c:a",
    "aac",
  ];
  run("ffmpeg", "-loglevel", "error", ...picture, ...sound, ...format, "-b:a", "16k", "-movflags", "+faststart", "video.mp4");
  while (!existsSync(ready)) await sleep(50);
  const { baseUrl, ownerKey, testerKeys, gameId, ownerEmail, password } = JSON.parse(readFileSync(ready, "utf8"));
  env.PLAYTEST_BASE_URL = baseUrl;
  const as = (key: string, ...args: string[]) => {
    env.PLAYTEST_API_KEY = key;
    return playtest(...args);
  };
  const id = as(ownerKey, "order", gameId, "--quantity", "1", "--duration-minutes", "60", "--yes", "--jq", ".playtest.id");
  const slot = as(testerKeys[0], "tester", "claim", id, "--jq", ".slot.id");
  as(testerKeys[0], "tester", "submit", "video.mp4", slot, "--notes", "Played with a pad, with headphones.", "--yes");
  writeFileSync(inFolder("said.vtt"), `WEBVTT\n\n${transcript}`);
  as(ownerKey, "review", "transcript", slot, "--upload", "said.vtt");
  for (const note of notes) as(ownerKey, "review", "note", slot, ...note);

  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  await page.goto(`${baseUrl}/studio/sign-in`);
  const form = page.locator("form:has(input[type=password])");
  await form.locator("input[name=email]").fill(ownerEmail);
  await form.locator("input[type=password]").fill(password);
  await form.locator("button").click();
  await page.waitForURL(`${baseUrl}/studio`);
  // The loudness below the timeline is measured after the upload.
  const isMeasured = async () =>
    (await fetch(`${baseUrl}/api/v1/slots/${slot}/signals`, { headers: { authorization: `Bearer ${ownerKey}` } })).ok;
  while (!(await isMeasured())) await sleep(500);
  await page.goto(`${baseUrl}/studio/slots/${slot}?t=12:41`);
  await page.waitForFunction("document.querySelector('video').readyState >= 2");
  await sleep(500);
  await page.screenshot({ path: inFolder("studio.png") });
  // 256 colors are enough, and a third of the bytes.
  run("convert", "studio.png", "-colors", "256", join(root, "src/help/studio.png"));
} finally {
  await browser.close();
  server.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
