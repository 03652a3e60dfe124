import type { Handlers } from "../../http/call.ts";
import { shown } from "../slots/tester-handlers.ts";
import * as changes from "./changes.ts";

/** What the members of a team do. They decide by rows of several accounts, so all are serializable. */
export const teamHandlers = {
  confirmTeam: (call) =>
    call.commit(async (tx) => {
      const { shareCents, scheduledAt, acceptConsent: version } = call.body;
      const consent = { version, address: call.client.address };
      await changes.confirm(tx, call.params.id, call.principal.userId, { shareCents, scheduledAt, consent });
      return shown(call.deps, tx, call.params.id, call.principal.userId);
    }),

  declineTeam: (call) =>
    call.commit(async (tx) => {
      await changes.decline(tx, call.params.id, call.principal.userId);
      return { message: "You declined. The playtester who named you can name somebody else." };
    }),

  leaveTeam: (call) =>
    call.commit(async (tx) => {
      await changes.leave(tx, call.params.id, call.principal.userId);
      return { message: "You left the team. You get no share of the payout, and cannot play this playtest again." };
    }),

  replaceTeamMember: (call) =>
    call.commit(async (tx) => {
      const { missing, with: handle } = call.body;
      await changes.replace(tx, call.params.id, call.principal.userId, { missing, with: handle });
      return shown(call.deps, tx, call.params.id, call.principal.userId);
    }),

  setTeamShares: (call) =>
    call.commit(async (tx) => {
      await changes.setShares(tx, call.params.id, call.principal.userId, call.body.shares);
      return shown(call.deps, tx, call.params.id, call.principal.userId);
    }),
} satisfies Partial<Handlers>;
