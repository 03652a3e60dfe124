import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { faultsAt } from "../../server/playtests/publications/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import {
  claim,
  createGame,
  firstAdmin,
  giveVideo,
  order,
  registerOwner,
  registerPlaytester,
  videoBytes,
} from "../helpers/factories.ts";
import { everyReplyPlace, type Fault } from "../helpers/loopback-platform.ts";
import { type Peertube, startPeertube } from "../helpers/peertube.ts";
import { startYoutube } from "../helpers/youtube.ts";

/** Videos are sent in parts of 8 MiB. */
const part = 8 * 1024 * 1024;
const minute = 60_000;
const day = 24 * 60 * minute;
const ffmpeg = [process.execPath, fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url)), "cut"];

/** Where a connection can end before a request is done. */
const before: Fault[] = ["unread", { cut: 0 }];
/** Where it can end when it is done. */
const after: Fault[] = ["lost", ...everyReplyPlace.map((ends) => ({ ends }))];
/** Where it can end in the bytes of a part: of one in the middle of the file, and of the last one. */
const withinParts: Fault[][] = [
  ...[1, 1000, part / 2, part - 1, part].map((cut) => [{ cut }]),
  ...[1, 2048, 4095, 4096].map((cut) => [{ keep: part }, { cut }]),
];

/** What an adapter sends to publish a video. `once`: what cannot be sent again when its reply was lost. */
const platforms = [
  {
    name: "YouTube",
    adapter: "youtube",
    start: startYoutube,
    kinds: ["token", "channel", "list", "start", "query", "part", "status", "thumbnail", "captions", "playlist"],
    once: [],
  },
  {
    name: "PeerTube",
    adapter: "peertube",
    start: startPeertube,
    kinds: ["list", "start", "query", "part", "status", "image", "captions"],
    once: ["token"],
  },
] as const;

const rows = platforms.flatMap((platform) => {
  const { kinds, once } = platform;
  const every = (of: readonly string[], fault: Fault) => ({
    ...platform,
    size: 4096,
    where: `each kind of request, ${JSON.stringify(fault)}`,
    faults: of.map((kind) => ({ kind, fault })),
  });
  return [
    ...[...before, "idle" as const].map((fault) => every([...once, ...kinds], fault)),
    ...after.map((fault) => every(kinds, fault)),
    ...withinParts.map((faults) => ({
      ...platform,
      size: part + 4096,
      where: `a part, ${JSON.stringify(faults)}`,
      faults: faults.map((fault) => ({ kind: "part", fault })),
    })),
  ];
});

const peertubeAccount = ({ url }: { url: string }) => ({
  adapter: "peertube",
  instance: url,
  username: "moon",
  password: "correct horse",
});

onBothDatabases("a video whose upload is cut", (serve, it) => {
  type Row = Pick<(typeof rows)[number], "adapter" | "start" | "size" | "faults">;

  async function accepted({ adapter, start, size, faults }: Row) {
    const platform = await start();
    const server = await serve({
      config(config) {
        config.publishing.to = adapter;
        config.pricing.publicPayoutCents = 300;
        Object.assign(config.clips, { ffmpeg });
        Object.assign(config.publishing.youtube, { clientId: "client", clientSecret: "secret", apiUrl: platform.url });
      },
      transcriber: { transcribe: async () => "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n" },
    });
    const [admin, owner, tester] = [await firstAdmin(server), await registerOwner(server), await registerPlaytester(server)];
    const account = adapter === "youtube" ? { adapter, deviceCode: "device-1" } : peertubeAccount(platform);
    await admin.post("/admin/publishers/connect", account);
    const slotId = await claim(tester, await order(owner, await createGame(owner), { visibility: "public" }));
    await giveVideo(server, slotId, tester, videoBytes(size));
    await tester.post(`/playtester/slots/${slotId}/submit`, { notes: "It was fun." });
    await server.advance(minute);
    platform.expireTokens();
    Object.assign(platform, { faults: [...faults] });
    await owner.post(`/slots/${slotId}/accept`);
    await server.advance(day);
    const publication = async () => (await owner.get(`/slots/${slotId}/publication`)).body.data.publication;
    return { server, platform, admin, tester, size, publication };
  }

  async function expectPublished({ server, platform, tester, size, publication }: Awaited<ReturnType<typeof accepted>>) {
    expect(await publication()).toMatchObject({ state: "published", reason: null, bytesSent: size });
    expect([platform.videos.size, platform.made.length, platform.faults]).toEqual([1, 1, []]);
    expect([...(platform.videos as Peertube["videos"]).values()][0]!.size).toBe(size);
    expect((await tester.get("/playtester/earnings")).body.data.balanceCents).toBe(300);
    expect(await server.deps.store.read((q) => faultsAt(q, server.clock.now()))).toEqual([]);
  }

  it.for(rows)("is published once on $name: $where", async (row) => expectPublished(await accepted(row)));

  it("waits for the operator when the reply with the only good tokens of PeerTube was lost", async () => {
    const scene = await accepted({
      ...platforms[1],
      size: 4096,
      faults: [{ kind: "token", fault: { ends: "after the headers" } }],
    });
    expect(await scene.publication()).toMatchObject({ state: "waiting", reason: "The connection to PeerTube has ended." });
    await scene.admin.post("/admin/publishers/connect", peertubeAccount(scene.platform));
    await scene.server.advance(day);
    await expectPublished(scene);
  });
});
