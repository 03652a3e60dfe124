import { known } from "./games.ts";
import { type Asked, badRequest, conflict, type Handler, invalid, notFound, Problem, page, reply } from "./http.ts";
import { type Playtest, priceOf, type Slot, type State } from "./state.ts";

const fields = [
  "visibility",
  "quantity",
  "durationMinutes",
  "playerCount",
  "notesForTesters",
  "keysForTesters",
  "isFreePublicTrial",
  "targetingType",
  "targetingScope",
  "pastPlaytesterScope",
  "targetedPlaytesterId",
  "selectionMode",
  "qualifications",
];
const counted = ["open", "reserved", "submitted", "accepted", "rejected", "expired"];
const statuses = [...counted, "blocked", "cancelled", "publishing"];

/** Only the header values that the specification has. Another server may refuse them, so this one does. */
function paymentMethod(state: State, { headers, method, path }: Asked): string | undefined {
  const given = headers["x-payment-method"] as string | undefined;
  if (headers["x-payment-from"] !== undefined) state.beyond.push(`${method} ${path}: header X-Payment-From`);
  if (given === undefined || given === "x402") return given;
  state.beyond.push(`${method} ${path}: X-Payment-Method: ${given}`);
  throw invalid("X-Payment-Method", "must be x402");
}

const instructions = (state: State, { headers }: Asked, amountCents: number) => {
  const id = state.newId("x402");
  const chain = headers["x-payment-chain"] ?? "base";
  const currency = headers["x-payment-currency"] ?? "USDC";
  const network = chain === "base" ? "eip155:8453" : `${chain}`;
  const receiver = `0x${"5a".repeat(20)}`;
  const cryptoAmount = (amountCents / 100).toFixed(2);
  state.pendingPayments.push({ id, amountCents });
  const payment = { id, chain, currency, cryptoAmount, receiver, network, expiresAt: state.now() };
  // What else is in the header, the specification leaves to x402.
  return new Problem(
    402,
    "PAYMENT_REQUIRED",
    "Payment required",
    { payment },
    { "x-payment": JSON.stringify({ scheme: "exact", network, receiver }) },
  );
};

/** Asks for crypto; `X-Payment` must hold exactly what the specification says. */
export function cryptoProof(state: State, asked: Asked): { txHash: string } | undefined {
  const given = asked.headers["x-payment"] as string | undefined;
  if (given === undefined) return undefined;
  const proof = JSON.parse(given);
  for (const name of Object.keys(proof))
    if (!["txHash", "chain", "currency"].includes(name))
      state.beyond.push(`${asked.method} ${asked.path}: field ${name} of X-Payment`);
  return proof;
}

export const askForCrypto = instructions;

export function playtestRoutes(state: State): Record<string, Handler> {
  const raise = () => {
    throw notFound();
  };
  const findPlaytest = (id: string | undefined) => state.playtests.find((one) => one.id === id) ?? raise();
  const findSlot = (id: string | undefined) => state.slots.find((one) => one.id === id) ?? raise();
  const ofSlot = ({ requestId }: Slot) => findPlaytest(requestId);
  const gameOf = ({ gameId }: Playtest) => state.games.find(({ id }) => id === gameId)!;
  const slotCounts = ({ id }: Playtest) =>
    Object.fromEntries(
      counted.map((status) => [status, state.slots.filter((slot) => slot.requestId === id && slot.status === status).length]),
    );
  const short = ({ transcription, ...slot }: Slot) => {
    if (transcription === null) return { ...slot, transcription };
    const { keyTakeaways: _, ...listed } = transcription;
    return { ...slot, transcription: listed };
  };

  function create(asked: Asked): Playtest {
    const body = known(state, asked, fields);
    const { visibility = body.isFreePublicTrial ? "public" : "private", quantity = 1, playerCount = 1 } = body;
    const durationMinutes = (body.durationMinutes ?? (visibility === "public" ? 30 : 60)) as number;
    if (![30, 60, 120, 180].includes(durationMinutes)) throw invalid("durationMinutes", "must be 30, 60, 120 or 180");
    const free = visibility === "public";
    return {
      id: state.newId("pt"),
      gameId: asked.params.gameId!,
      visibility: visibility as string,
      quantity: quantity as number,
      durationMinutes,
      playerCount: playerCount as number,
      costPerSlotCents: free ? 0 : priceOf(durationMinutes, playerCount as number),
      payoutCents: free ? 0 : 1000,
      notesForTesters: body.notesForTesters ?? null,
      status: "active",
      isFreePublicTrial: body.isFreePublicTrial ?? false,
      targetingType: body.targetingType ?? null,
      targetingScope: body.targetingScope ?? null,
      selectionMode: (body.selectionMode ?? "automatic") as string,
      qualifications: body.qualifications ?? null,
      applicationsExpireAt: body.selectionMode === "manual" ? state.now() : null,
      createdAt: state.now(),
    };
  }

  function place(playtest: Playtest) {
    state.playtests.unshift(playtest);
    if (playtest.status === "active") for (let n = 0; n < playtest.quantity; n++) state.slot(playtest.id);
  }

  function order(asked: Asked) {
    if (!state.games.some(({ id }) => id === asked.params.gameId)) throw notFound();
    const method = paymentMethod(state, asked);
    const playtest = create(asked);
    const { costPerSlotCents, quantity, durationMinutes, playerCount } = playtest;
    const totalCents = costPerSlotCents * quantity;
    const playtestMinutesNeeded = durationMinutes * playerCount * quantity;
    if (totalCents === 0) {
      place(playtest);
      if (!playtest.isFreePublicTrial) return { playtest };
      return { playtest, slots: state.slots.filter(({ requestId }) => requestId === playtest.id), needsAdminApproval: true };
    }
    if (state.playtestMinutes >= playtestMinutesNeeded) {
      state.playtestMinutes -= playtestMinutesNeeded;
      place(playtest);
      const paid = { paid: true, paidWithPlaytestHours: true, playtestMinutesUsed: playtestMinutesNeeded };
      const perSlot = { ...playtest, playtestMinutesPerSlot: durationMinutes * playerCount };
      return { playtest: perSlot, ...paid, playtestMinutesRemaining: state.playtestMinutes, paymentId: state.pay(0, "hours") };
    }
    if (state.balanceCents >= totalCents) {
      state.balanceCents -= totalCents;
      place(playtest);
      state.pay(totalCents, "credit");
      return { playtest };
    }
    if (method === "x402") {
      if (cryptoProof(state, asked) === undefined) throw instructions(state, asked, totalCents);
      place(playtest);
      return { playtest };
    }
    if (state.balanceCents > 0)
      throw new Problem(402, "PAYMENT_REQUIRED", "Insufficient credit", {
        details: [{ field: "balance", message: `Balance ${state.balanceCents}, required ${totalCents}` }],
      });
    place({ ...playtest, status: "pending_payment" });
    const due = { requiresPayment: true, costPerSlotCents, totalCents, playtestMinutesNeeded };
    return { playtest: state.playtests[0], ...due, playtestMinutesAvailable: state.playtestMinutes };
  }

  function accept({ params, body }: Asked) {
    const slot = findSlot(params.id);
    if (slot.status !== "submitted") throw conflict("The slot is not submitted");
    slot.status = "accepted";
    if (body.rating !== undefined) slot.rating = { score: body.rating, comment: null };
    return reply(200, { message: "Submission accepted" });
  }

  function download({ params }: Asked) {
    if (findSlot(params.id).submission === null) throw notFound();
    return reply(200, { downloadUrl: `${state.files}/video.mp4?sig=1`, expiresAt: state.now() });
  }

  function submissions(asked: Asked) {
    const status = asked.query.get("status") ?? "submitted";
    if (!statuses.includes(status)) throw invalid("status", "is not a slot status");
    const found = state.slots.filter((slot) => slot.status === status);
    const items = found.map((slot) => {
      const { id, requestId, deadlineAt, createdAt, playtester, submission, transcription } = short(slot);
      const { id: playtestId, visibility, durationMinutes, playerCount, isFreePublicTrial, ...playtest } = ofSlot(slot);
      const { name } = gameOf(ofSlot(slot));
      return {
        slot: { id, requestId, status, reservedBy: playtester?.id ?? null, deadlineAt, createdAt },
        submission: submission && { ...submission, videoStorageKey: `videos/${id}.mp4` },
        game: { id: playtest.gameId, name },
        playtest: { id: playtestId, visibility, durationMinutes, playerCount, isFreePublicTrial },
        playtester,
        awaitingAdminApproval: false,
        blockedReport: null,
        transcription,
      };
    });
    return page(asked, "submissions", items);
  }

  function application(id: string | undefined) {
    const found = state.applications.find((one) => one.id === id) ?? raise();
    if (findPlaytest(found.requestId).selectionMode !== "manual") throw badRequest("The playtest is not manual");
    if (found.status !== "pending") throw conflict("The application is no longer pending");
    return found;
  }
  const remaining = (requestId: string) =>
    state.slots.filter((slot) => slot.requestId === requestId && slot.status === "open").length;
  const shown = ({ requestId: _, ...one }: State["applications"][number]) => one;

  return {
    "GET /games/:gameId/playtests": (asked) => {
      if (!state.games.some(({ id }) => id === asked.params.gameId)) throw notFound();
      const own = state.playtests.filter(({ gameId }) => gameId === asked.params.gameId);
      return page(
        asked,
        "playtests",
        own.map((one) => ({ ...one, slots: slotCounts(one) })),
        { eligibleForFreeTrial: !own.some(({ isFreePublicTrial }) => isFreePublicTrial) },
      );
    },
    "POST /games/:gameId/playtests": (asked) => reply(201, order(asked)),
    "GET /playtests/dashboard/stats": () =>
      reply(200, {
        totalGames: state.games.length,
        activePlaytests: state.playtests.filter(({ status }) => status === "active").length,
        pendingReviews: state.slots.filter(({ status }) => status === "submitted").length,
      }),
    "GET /playtests/submissions": submissions,
    "GET /submissions": submissions,
    "GET /playtests/:id": ({ params }) => {
      const playtest = findPlaytest(params.id);
      return reply(200, { playtest: { ...playtest, gameName: gameOf(playtest).name, slots: slotCounts(playtest) } });
    },
    "PATCH /playtests/:id": (asked) => {
      const playtest = findPlaytest(asked.params.id);
      Object.assign(playtest, known(state, asked, ["notesForTesters"]));
      return reply(200, playtest);
    },
    "GET /playtests/:id/slots": (asked) => {
      const { id } = findPlaytest(asked.params.id);
      return page(asked, "slots", state.slots.filter(({ requestId }) => requestId === id).map(short));
    },
    "GET /playtests/slots/:id": ({ params }) => {
      const slot = findSlot(params.id);
      const { id, visibility, durationMinutes, playerCount, ...playtest } = ofSlot(slot);
      const game = state.games.find((one) => one.id === playtest.gameId)!;
      return reply(200, {
        slot: {
          ...slot,
          game: { id: game.id, name: game.name },
          playtest: { id, visibility, durationMinutes, playerCount },
        },
      });
    },
    "POST /playtests/slots/:id/accept": accept,
    "POST /slots/:id/accept": accept,
    "POST /playtests/slots/:id/reject": (asked) => {
      const slot = findSlot(asked.params.id);
      const { reason = null, allowRetry } = known(state, asked, ["reason", "allowRetry"]);
      if (slot.status !== "submitted") throw conflict("The slot is not submitted");
      Object.assign(slot, { status: "rejected", rejection: { reason, createdAt: state.now() } });
      if (allowRetry) state.slot(slot.requestId, { status: "reserved", playtester: slot.playtester, deadlineAt: state.now() });
      return reply(200, { message: allowRetry ? "Submission rejected, retry allowed" : "Submission rejected" });
    },
    "GET /playtests/slots/:id/download-url": download,
    "GET /slots/:id/download-url": download,
    "GET /playtests/slots/:id/transcript": ({ params }) => {
      const { transcription } = findSlot(params.id);
      if (transcription === null) throw notFound();
      const { keyTakeaways, selectedVersion: version } = transcription;
      return reply(200, {
        downloadUrl: `${state.files}/transcript.vtt?sig=1`,
        filename: "transcript.vtt",
        version,
        keyTakeaways,
      });
    },
    "GET /playtests/:id/applications": ({ params }) => {
      const playtest = findPlaytest(params.id);
      const { id, gameId, quantity, qualifications, selectionMode, applicationsExpireAt } = playtest;
      const own = state.applications.filter(({ requestId }) => requestId === id);
      const count = (status: string) => own.filter((one) => one.status === status).length;
      return reply(200, {
        request: {
          id,
          gameId,
          gameName: gameOf(playtest).name,
          quantity,
          qualifications,
          selectionMode,
          applicationsExpireAt,
          scheduledAt: null,
        },
        counts: { approvedCount: count("approved"), pendingCount: count("pending"), slotsRemaining: remaining(id) },
        applications: own.map(shown),
      });
    },
    "POST /playtests/playtest-applications/:id/approve": ({ params }) => {
      const found = application(params.id);
      const slot = state.slots.find((one) => one.requestId === found.requestId && one.status === "open");
      if (!slot) throw conflict("All slots are filled");
      Object.assign(slot, { status: "reserved", playtester: { id: found.playtesterId, displayName: found.displayName } });
      Object.assign(found, { status: "approved", reviewedAt: state.now(), assignedSlotId: slot.id });
      return reply(200, { application: shown(found), assignedSlotId: slot.id, slotsRemaining: remaining(found.requestId) });
    },
    "POST /playtests/playtest-applications/:id/reject": (asked) => {
      const found = application(asked.params.id);
      known(state, asked, ["customMessage"]);
      Object.assign(found, { status: "rejected", reviewedAt: state.now() });
      return reply(200, { application: shown(found) });
    },
  };
}
