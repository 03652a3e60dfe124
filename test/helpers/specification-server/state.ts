/** What the server knows: plain records, as the specification describes them. */

export type Item = Record<string, unknown> & { id: string };

export interface Slot extends Item {
  requestId: string;
  status: string;
  deadlineAt: string | null;
  createdAt: string;
  playtester: { id: string; displayName: string } | null;
  submission: Record<string, unknown> | null;
  rating: Record<string, unknown> | null;
  rejection: Record<string, unknown> | null;
  transcription: Record<string, unknown> | null;
}

export interface Playtest extends Item {
  gameId: string;
  visibility: string;
  quantity: number;
  durationMinutes: number;
  playerCount: number;
  costPerSlotCents: number;
  status: string;
  selectionMode: string;
}

/** Of the categories, devices and platforms. Ids of categories are UUIDs, as the specification says. */
export const categories = [
  { id: "7d9f1c1e-5f6b-4a52-8a57-0c6a3f9f1a01", name: "Roguelike", slug: "roguelike" },
  { id: "7d9f1c1e-5f6b-4a52-8a57-0c6a3f9f1a02", name: "Pixel Art", slug: "pixel-art" },
];
export const devices = ["PC", "Mac", "Linux", "iOS", "Android"].map((name) => ({ id: name.toLowerCase(), name }));
export const platforms = ["Steam", "Other"].map((name) => ({ id: name.toLowerCase(), name }));

const planOf = (tier: string, interval: string, priceCents: number, hours: number) => ({
  key: `${tier}_${interval}ly`,
  name: `${tier} ${interval}ly`,
  displayName: `${tier === "indie" ? "Indie" : "Studio"} (${interval}ly)`,
  tier,
  interval,
  priceCents,
  minutesPerCycle: hours * 60,
  hoursPerCycle: hours,
  pricePerHourCents: Math.round(priceCents / hours),
});
export const plans = [
  planOf("indie", "month", 7900, 5),
  planOf("indie", "year", 79_000, 60),
  planOf("studio", "month", 37_900, 25),
  planOf("studio", "year", 379_000, 300),
];

// The specification gives one price, of 60 minutes and 1 player. The others are this server's own.
const perSlot: Record<number, number> = { 30: 1300, 60: 2000, 120: 3700, 180: 5300 };
export const priceOf = (durationMinutes: number, playerCount: number) => perSlot[durationMinutes]! + 1700 * (playerCount - 1);

/** Its clock is paused at the time of the commands that tests run. */
const startTime = Date.parse("2026-03-01T12:00:00.000Z");

export class State {
  readonly games: Item[] = [];
  readonly builds: (Item & { gameId: string })[] = [];
  readonly playtests: Playtest[] = [];
  readonly slots: Slot[] = [];
  readonly applications: (Item & { requestId: string; status: string })[] = [];
  readonly payments: Item[] = [];
  readonly pendingPayments: { id: string; amountCents: number }[] = [];
  readonly ledger: Item[] = [];
  readonly webhooks: Item[] = [];
  readonly deliveries: (Item & { webhookId: string })[] = [];
  readonly notifications: Item[] = [];
  readonly messages: (Item & { conversationId: string })[] = [];
  readonly contacts: Item[] = [];
  /** What the client sent that the specification does not have. */
  readonly beyond: string[] = [];
  balanceCents = 1_000_000;
  playtestMinutes = 0;
  subscription: Item | null = null;
  configured = true;
  /** Origin of the host that stores videos and transcripts. */
  files = "";
  #count = 0;

  readonly now = () => new Date(startTime).toISOString();
  readonly newId = (prefix: string) => `${prefix}_${String(++this.#count).padStart(6, "0")}`;
  readonly newUuid = () => `7d9f1c1e-5f6b-4a52-8a57-${String(++this.#count).padStart(12, "0")}`;

  notify(type: string, title: string, body: string) {
    this.notifications.unshift({ id: this.newId("ntf"), type, title, body, readAt: null, createdAt: this.now() });
  }

  pay(amountCents: number, provider: string, status = "completed"): string {
    const id = this.newId("pay");
    this.payments.unshift({ id, amountCents, status, provider, externalId: `ext_${id}`, createdAt: this.now() });
    return id;
  }

  /** A new slot, open unless it says otherwise. */
  slot(requestId: string, more: Partial<Slot> = {}): Slot {
    const slot: Slot = {
      id: this.newId("slot"),
      requestId,
      status: "open",
      deadlineAt: null,
      createdAt: this.now(),
      playtester: null,
      submission: null,
      rating: null,
      rejection: null,
      transcription: null,
      ...more,
    };
    this.slots.unshift(slot);
    return slot;
  }

  /** A video in an open slot of the playtest. */
  submit(requestId: string): Slot {
    const slot = this.slots.find((one) => one.requestId === requestId && one.status === "open") ?? this.slot(requestId);
    const playtester = { id: this.newId("user"), displayName: "Kim" };
    const submission = { id: this.newId("sub"), videoFileSize: 12, notes: "Fun.", createdAt: this.now() };
    const transcription = {
      id: this.newId("tr"),
      status: "approved",
      selectedVersion: "original",
      keyTakeaways: ["The door is hard to see."],
    };
    Object.assign(slot, { status: "submitted", playtester, submission, transcription, deadlineAt: this.now() });
    this.notify("slot.submitted", "New submission", "Kim submitted a video");
    return slot;
  }

  apply(requestId: string) {
    const application = {
      id: this.newId("app"),
      requestId,
      status: "pending",
      qualificationsResponse: "Yes.",
      createdAt: this.now(),
      reviewedAt: null,
      assignedSlotId: null,
      playtesterId: this.newId("user"),
      displayName: "Kim",
      gamingExperience: "Ten years.",
      validatedAt: this.now(),
      ratingAverage: "4.50",
      acceptedCount: "12",
    };
    this.applications.unshift(application);
    return application;
  }
}
