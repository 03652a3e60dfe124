import { unavailable } from "../../server/problem.ts";
import type { DisputeState, HostedCards, ProcessorEvent, SessionState } from "../../server/providers/cards/index.ts";

/** Money a card paid, and what went back of it. */
interface Paid {
  paymentId: string;
  cents: number;
  refunded: number;
}

interface Dispute {
  id: string;
  paid: Paid;
  cents: number;
  state: DisputeState["state"];
}

/** A report, and how much of its object's history was there when it was sent: nobody reads an older state. */
export interface Report extends ProcessorEvent {
  about: NonNullable<ProcessorEvent["about"]>;
  version: number;
}

/**
 * A card processor in memory. It keeps every state its objects were in, so that a report can be acted on with what was read
 * a moment too early; and it knows how much money it really holds.
 */
export function createProcessor() {
  const sessions = new Map<string, SessionState[]>();
  const disputes = new Map<string, Dispute[]>();
  const refunds = new Map<string, { paymentId: string; refundedCents: number }[]>();
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

  const cards: HostedCards = {
    name: "stripe",
    async openSession({ paymentId, amountCents }) {
      const reference = `cs_test_${paymentId}`;
      if (!sessions.has(reference))
        push(sessions, reference, { reference, paymentId, state: "open", amountCents, currency: "usd", card: undefined });
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
      const { paid: of, cents, state } = read(disputes.get(id)!);
      return { id, paymentId: of.paymentId, amountCents: cents, state };
    },
    lookUpRefund: async (id) => read(refunds.get(id)!),
    async chargeSaved({ paymentId, amountCents, card }) {
      const known = charges.get(paymentId);
      if (!known && (mood.charge === "fails" || card === "bad")) return { paid: false, reason: "declined" };
      const charge = known ?? { paymentId, cents: amountCents, refunded: 0 };
      if (!known) paid.push(charge);
      charges.set(paymentId, charge);
      if (mood.charge === "pays, but the answer is lost") throw unavailable("The processor does not answer.", 1);
      return { paid: true, reference: `pi_${paymentId}` };
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
    /** A person pays at an open session. */
    pay(session: SessionState, card: string): void {
      if (session.state !== "open") return;
      const about = { session: session.reference };
      push(sessions, session.reference, { ...session, state: "paid", card }, { kind: "checkout.session.completed", about });
      paid.push({ paymentId: session.paymentId!, cents: session.amountCents, refunded: 0 });
    },
    dispute(of: Paid, share: number): void {
      const left = of.cents - of.refunded - takenBy(of);
      const cents = Math.ceil(left * share);
      if (cents <= 0) return;
      const id = `dp_${disputes.size + 1}`;
      push(
        disputes,
        id,
        { id, paid: of, cents, state: "lost_or_open" },
        { kind: "charge.dispute.created", about: { dispute: id } },
      );
    },
    win(dispute: Dispute): void {
      if (dispute.state === "won") return;
      const about = { dispute: dispute.id };
      push(disputes, dispute.id, { ...dispute, state: "won" }, { kind: "charge.dispute.closed", about });
    },
    refund(of: Paid, share: number): void {
      const cents = Math.ceil((of.cents - of.refunded - takenBy(of)) * share);
      if (cents <= 0) return;
      of.refunded += cents;
      const id = `ch_${of.paymentId}`;
      push(
        refunds,
        id,
        { paymentId: of.paymentId, refundedCents: of.refunded },
        { kind: "charge.refunded", about: { charge: id } },
      );
    },
    /** What it holds for this server: what the ledger must say in the end. */
    holds: () => paid.reduce((sum, of) => sum + of.cents - of.refunded - takenBy(of), 0),
  };
}

export type Processor = ReturnType<typeof createProcessor>;
