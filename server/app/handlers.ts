import { factors } from "../accounts/factors/handlers.ts";
import { auth } from "../accounts/handlers.ts";
import { passkeys } from "../accounts/passkeys/handlers.ts";
import { payoutDetails } from "../accounts/payout-details/handlers.ts";
import { admins } from "../admin/admins-handlers.ts";
import { admin } from "../admin/handlers.ts";
import { invitationHandlers } from "../admin/invitations-handlers.ts";
import { failedJobHandlers } from "../admin/jobs-handlers.ts";
import { mailHandlers } from "../admin/mails-handlers.ts";
import { payoutBatches } from "../admin/payouts/batches-handlers.ts";
import { payouts } from "../admin/payouts/handlers.ts";
import { operatedPlaytests } from "../admin/playtests-handlers.ts";
import { audit } from "../audit/handlers.ts";
import { budgets } from "../billing/budgets/handlers.ts";
import { crypto } from "../billing/crypto/handlers.ts";
import { depositProofs } from "../billing/crypto/proving/handlers.ts";
import { billing } from "../billing/handlers.ts";
import { invoices } from "../billing/invoices/handlers.ts";
import { subscriptions } from "../billing/subscriptions/handlers.ts";
import { suspense } from "../billing/suspense-handlers.ts";
import { chat } from "../chat/handlers.ts";
import { events } from "../events/handlers.ts";
import { notifications } from "../events/notifications-handlers.ts";
import { webhooks } from "../events/webhooks/handlers.ts";
import { games } from "../games/handlers.ts";
import { info } from "../games/info-handlers.ts";
import type { Handlers } from "../http/call.ts";
import { inbox } from "../inbox/handlers.ts";
import { personal } from "../personal/handlers.ts";
import { agreements } from "../playtests/agreements/handlers.ts";
import { applications } from "../playtests/applications/handlers.ts";
import { findings } from "../playtests/findings/handlers.ts";
import { friends } from "../playtests/friends/handlers.ts";
import { groups } from "../playtests/groups/handlers.ts";
import { playtests } from "../playtests/handlers.ts";
import { playtestKeys } from "../playtests/keys/handlers.ts";
import { moments } from "../playtests/moments/handlers.ts";
import { orderApprovals } from "../playtests/order-approvals/handlers.ts";
import { orders } from "../playtests/order-handlers.ts";
import { publisherConnections } from "../playtests/publications/connections-handlers.ts";
import { publications } from "../playtests/publications/handlers.ts";
import { publishedVideos } from "../playtests/publications/public-handlers.ts";
import { schedule } from "../playtests/schedule/handlers.ts";
import { playtesterEarnings } from "../playtests/slots/earnings-handlers.ts";
import { slots } from "../playtests/slots/handlers.ts";
import { offers } from "../playtests/slots/offer-handlers.ts";
import { playtester } from "../playtests/slots/tester-handlers.ts";
import { statements } from "../playtests/statements/handlers.ts";
import { statistics } from "../playtests/statistics/handlers.ts";
import { teamHandlers } from "../playtests/teams/handlers.ts";
import { sandbox } from "../sandbox/handlers.ts";
import { sandboxPayments } from "../sandbox/payments-handlers.ts";
import { search } from "../search/handlers.ts";
import { clips } from "../sharing/clips/handlers.ts";
import { highlights } from "../sharing/highlights/handlers.ts";
import { shares } from "../sharing/shares/handlers.ts";
import { signals } from "../sharing/signals/handlers.ts";
import { stills } from "../sharing/stills/handlers.ts";
import { trackers } from "../trackers/handlers.ts";
import { transcripts } from "../transcripts/handlers.ts";
import { uploads } from "../uploads/handlers.ts";

/** Every operation of the contract. A missing one does not compile. */
export const handlers: Handlers = {
  ...agreements,
  ...applications,
  ...admin,
  ...admins,
  ...invitationHandlers,
  ...mailHandlers,
  ...failedJobHandlers,
  ...operatedPlaytests,
  ...audit,
  ...auth,
  ...chat,
  ...events,
  ...factors,
  ...findings,
  ...friends,
  ...passkeys,
  ...games,
  ...inbox,
  ...invoices,
  ...groups,
  ...highlights,
  ...info,
  ...moments,
  ...notifications,
  ...orders,
  ...orderApprovals,
  ...payoutDetails,
  ...payouts,
  ...payoutBatches,
  ...personal,
  ...playtests,
  ...playtestKeys,
  ...publications,
  ...publishedVideos,
  ...publisherConnections,
  ...clips,
  ...stills,
  ...shares,
  ...search,
  ...signals,
  ...slots,
  ...statistics,
  ...statements,
  ...playtester,
  ...offers,
  ...playtesterEarnings,
  ...schedule,
  ...billing,
  ...budgets,
  ...crypto,
  ...depositProofs,
  ...sandboxPayments,
  ...trackers,
  ...transcripts,
  ...uploads,
  ...sandbox,
  ...subscriptions,
  ...suspense,
  ...teamHandlers,
  ...webhooks,
};
