import type {
  ChargeState,
  DisputeState,
  HostedCards,
  ProcessorEvent,
  SessionState,
} from "../../server/billing/cards/processor.ts";
import { unavailable } from "../../server/lib/api-error.ts";

/** Money a card paid, and what went back of it. */
interface Paid {
  paymentId: string;
  cents: number;
  refunded: number;
  fee: number;
}

interface Dispute {
  id: string;
  paid: Paid;
  cents: number;
  fee: number;
  state: DisputeState["state"];
}

type Refund = ChargeState["refunds"][number];

/** A report, and how much of its object's history was there when it was sent: nobody reads an older state. */
export interface Report extends ProcessorEvent {
  about: NonNullable<ProcessorEvent["about"]>;
  version: number;
}

const unpaid = { card: undefined, feeCents: null };

/**
 * A card processor in memory. It keeps every state its objects were in, so that a report can be acted on with what was read
 * a moment too early; and it knows how much money it really holds.
 */
export function createProcessor() {
  const sessions = new Map<string, SessionState[]>();
  const disputes = new Map<string, Dispute[]>();
  /** Charges, with their refunds. */
  const charged = new Map<string, ChargeState[]>();
  const charges = new Map<string, Paid>();
  const paid: Paid[] = [];
  const reports: Report[] = [];
  /** How far back look-ups read while a report is taken; and what the next saved cards do. */
  const mood = { stale: 0, version: 0, charge: "pays" as "pays" | "fails" | "pays, but the answer is lost" };

  const latest = <T>(history: T[]): T => history.at(-1)!;
  const read = <T>(history: T[]): T => history[Math.max(mood.version, history.length - 1 - mood.stale)] ?? latest(history);

  function push<T>(all: Map<string, T[]>, key: string, state: T, report?: { kind: string; about: Report["about"] }): void {
    const history = all.get(key) ?? [];
    all.set(key, [...history, state]);
    if (report) reports.push({ id: `evt_${reports.length + 1}`, version: history.length, ...report });
  }

  const chargeOf = (of: Paid) => `ch_${of.paymentId}`;
  function reportCharge(of: Paid, own: Refund[], kind: string): void {
    const about = { charge: chargeOf(of) };
    push(
      charged,
      about.charge,
      { paymentId: of.paymentId, paidCents: of.cents, feeCents: of.fee, refunds: own },
      { kind, about },
    );
  }
  function receive(paymentId: string, cents: number): Paid {
    const of = { paymentId, cents, refunded: 0, fee: 30 + Math.floor(cents * 0.029) };
    paid.push(of);
    reportCharge(of, [], "charge.updated");
    return of;
  }

  const cards: HostedCards = {
    name: "stripe",
    page: "hosted",
    title: "Stripe",
    async openSession({ paymentId, amountCents }) {
      const reference = `cs_test_${paymentId}`;
      if (!sessions.has(reference))
        push(sessions, reference, { reference, paymentId, state: "open", amountCents, currency: "usd", ...unpaid });
      return { url: `https://pay.example/${reference}`, reference };
    },
    lookUp: async (reference) => (sessions.has(reference) ? read(sessions.get(reference)!) : undefined),
    async closeSession(reference) {
      const history = sessions.get(reference);
      if (!history) return undefined;
      if (latest(history).state === "open") push(sessions, reference, { ...latest(history), state: "ended" });
      return latest(sessions.get(reference)!);
    },
    async lookUpDispute(id) {
      const { paid: of, cents, state, fee } = read(disputes.get(id)!);
      return { id, paymentId: of.paymentId, amountCents: cents, state, answerBy: null, feeCents: fee };
    },
    lookUpCharge: async (id) => read(charged.get(id)!),
    async chargeSaved({ paymentId, amountCents, card }) {
      const known = charges.get(paymentId);
      if (!known && (mood.charge === "fails" || card === "bad")) return { paid: false, reason: "declined" };
      const charge = known ?? receive(paymentId, amountCents);
      charges.set(paymentId, charge);
      if (mood.charge === "pays, but the answer is lost") throw unavailable("The processor does not answer.", 1);
      return { paid: true, reference: `pi_${paymentId}`, feeCents: charge.fee % 2 === 0 ? null : charge.fee };
    },
    readEvent: () => {
      throw new Error("reports are handed over as they are here");
    },
  };

  const takenBy = (of: Paid) =>
    [...disputes.values()]
      .map(latest)
      .reduce((sum, { paid: own, cents, state }) => sum + (own === of && state === "lost_or_open" ? cents : 0), 0);

  return {
    ...{ cards, mood, paid, reports },
    sessions: () => [...sessions.values()].map(latest),
    disputes: () => [...disputes.values()].map(latest),
    /** A person pays at an open session; what is kept of it is told later. */
    pay(session: SessionState, card: string): void {
      if (session.state !== "open") return;
      const about = { session: session.reference };
      push(sessions, session.reference, { ...session, state: "paid", card }, { kind: "checkout.session.completed", about });
      receive(session.paymentId!, session.amountCents);
    },
    dispute(of: Paid, share: number): void {
      const left = of.cents - of.refunded - takenBy(of);
      const cents = Math.ceil(left * share);
      if (cents <= 0) return;
      const id = `dp_${disputes.size + 1}`;
      const opened: Dispute = { id, paid: of, cents, fee: 0, state: "lost_or_open" };
      push(disputes, id, opened, { kind: "charge.dispute.created", about: { dispute: id } });
      push(disputes, id, { ...opened, fee: 1500 }, { kind: "charge.dispute.funds_withdrawn", about: { dispute: id } });
    },
    /** Every other one gives its fee back. */
    win(dispute: Dispute): void {
      if (dispute.state === "won") return;
      const about = { dispute: dispute.id };
      const won: Dispute = { ...dispute, state: "won", fee: dispute.cents % 2 === 0 ? 0 : dispute.fee };
      push(disputes, dispute.id, won, { kind: "charge.dispute.closed", about });
    },
    refund(of: Paid, share: number): void {
      const cents = Math.ceil((of.cents - of.refunded - takenBy(of)) * share);
      if (cents <= 0) return;
      of.refunded += cents;
      const { refunds } = latest(charged.get(chargeOf(of))!);
      const refund: Refund = { id: `re_${of.paymentId}_${refunds.length}`, cents, state: "taken" };
      reportCharge(of, [...refunds, refund], "charge.refunded");
    },
    /** The bank refuses the last refund of a payment, days later. */
    failRefund(of: Paid): void {
      const { refunds } = latest(charged.get(chargeOf(of))!);
      const last = refunds.at(-1);
      if (last?.state !== "taken") return;
      of.refunded -= last.cents;
      reportCharge(of, [...refunds.slice(0, -1), { ...last, state: "failed" }], "refund.failed");
    },
    isWhole: (of: Paid) => of.refunded + takenBy(of) === 0,
    /** What it holds for this server: what the ledger must say in the end. */
    holds: () =>
      paid.reduce((sum, of) => sum + of.cents - of.refunded - of.fee - takenBy(of), 0) -
      [...disputes.values()].map(latest).reduce((sum, { fee }) => sum + fee, 0),
  };
}

export type Processor = ReturnType<typeof createProcessor>;
