import { createRouter, type Router } from "../../http/router.ts";
import { html } from "../html.ts";
import { passkeyRoutes } from "../sign-in/passkeys.ts";
import {
  accountPage,
  changeEmail,
  changePassword,
  deleteAccount,
  endSession,
  exportFile,
  revokeKey,
  saveAccount,
  signOutEverywhere,
} from "./account.ts";
import { acceptAgreement, agreementPage } from "./agreements/page.ts";
import { applicationsPage, withdraw } from "./applications.ts";
import { chat } from "./chat.ts";
import { payoutDetailsPage, removePayoutDetails, savePayoutDetails } from "./earnings/details.ts";
import { earningsPage } from "./earnings/page.ts";
import { type PrintStatement, statementFile, statementPage, statementPdf } from "./earnings/statements.ts";
import { emailsPage, saveEmails } from "./emails.ts";
import {
  disableFactor,
  enableFactor,
  factorPage,
  renewRecoveryCodes,
  setUpAgain,
  startFactor,
} from "./factors/authenticator-app.ts";
import { signedInLayout } from "./layout.ts";
import { markAllRead, notificationsPage } from "./notifications.ts";
import { apply, claim, offersPage } from "./offers.ts";
import { recordingPage } from "./slots/recording.ts";
import { buildLink, release, report, slotPage, slotsPage, submit } from "./slots.ts";
import type { Action, Download, PageContext, RecordingPart, Route, View } from "./types.ts";

const passkeys = passkeyRoutes<PageContext>("/account/passkeys", {
  path: "/play/account/passkeys",
  back: html`<a href="/play/account">Back to your account</a>`,
  layout: (context, page) => signedInLayout(context, undefined, page),
});

/** Pages, by their paths below `/play`. */
const views: Record<string, View> = {
  "/": offersPage,
  "/offers/:id/agreement": agreementPage,
  "/slots": slotsPage,
  "/slots/:id": slotPage,
  "/help/recording": recordingPage,
  "/applications": applicationsPage,
  "/messages": chat.list,
  "/messages/:id": chat.conversation,
  "/earnings": earningsPage,
  "/earnings/details": payoutDetailsPage,
  "/earnings/statement": statementPage,
  "/notifications": notificationsPage,
  "/account": accountPage,
  "/account/emails": emailsPage,
  "/account/factor": factorPage,
  ...passkeys.views,
};

/** Redirects to other sites. The URL is created when the link is opened. */
const links: Record<string, (context: PageContext) => Promise<string>> = {
  "/slots/:id/build": buildLink,
};

/** Files that are made when they are asked for. */
const downloads: Record<string, (context: PageContext) => Promise<Download>> = {
  "/account/export": exportFile,
  "/earnings/statement.csv": statementFile,
};

/** What is streamed to the playtester of a slot. */
const recordings: Record<string, RecordingPart> = {
  "/slots/:id/recording": "video",
  "/slots/:id/recording/captions": "captions",
};

/** The actions of posted forms. */
const actions: Record<string, Action> = {
  "/offers/:id/claim": { run: claim, page: offersPage },
  "/offers/:id/apply": {
    run: apply,
    page: offersPage,
    fields: { qualificationsResponse: { label: "Why are you a good fit?", id: (offer) => `answer-${offer}` } },
  },
  "/offers/:id/agreement": { run: acceptAgreement, page: agreementPage },
  "/applications/:id/withdraw": { run: withdraw, page: applicationsPage },
  "/slots/:id/submit": { run: submit, page: slotPage, fields: { notes: { label: "Notes for the owner", id: "notes" } } },
  "/slots/:id/release": { run: release, page: slotPage },
  "/slots/:id/report": {
    run: report,
    page: slotPage,
    fields: { reasonCode: { label: "What is wrong?", id: "reason" }, notes: { label: "What happened?", id: "problem" } },
  },
  "/messages/with/:id": { run: chat.open, page: chat.list },
  "/messages/:id": { run: chat.send, page: chat.conversation, fields: { content: { label: "Your message", id: "content" } } },
  "/messages/:id/block": { run: chat.setBlocked(true), page: chat.conversation },
  "/messages/:id/unblock": { run: chat.setBlocked(false), page: chat.conversation },
  "/earnings/details": { run: savePayoutDetails, page: payoutDetailsPage, takesPassword: true },
  "/earnings/details/remove": { run: removePayoutDetails, page: payoutDetailsPage, takesPassword: true },
  "/notifications/read": { run: markAllRead, page: notificationsPage },
  "/account": {
    run: saveAccount,
    page: accountPage,
    fields: {
      displayName: { label: "Display name", id: "name" },
      gamingExperience: { label: "Gaming experience", id: "experience" },
    },
  },
  "/account/emails": { run: saveEmails, page: emailsPage },
  "/account/sessions/:id/end": { run: endSession, page: accountPage },
  "/account/sign-out-everywhere": { run: signOutEverywhere, page: accountPage },
  "/account/keys/:id/revoke": { run: revokeKey, page: accountPage },
  "/account/delete": { run: deleteAccount, page: accountPage, takesPassword: true },
  "/account/email": { run: changeEmail, page: accountPage, takesPassword: true },
  "/account/password": { run: changePassword, page: accountPage, takesPassword: true },
  "/account/factor/start": { run: startFactor, page: factorPage, takesPassword: true },
  "/account/factor/enable": { run: enableFactor, page: setUpAgain, takesPassword: true },
  "/account/factor/disable": { run: disableFactor, page: factorPage, takesPassword: true },
  ...passkeys.actions,
  "/account/factor/recovery-codes": { run: renewRecoveryCodes, page: factorPage, takesPassword: true },
};

/** Forms that post a video, with the page to show again when the upload fails. */
const videos: Record<string, View> = {
  "/slots/:id/video": slotPage,
};

type Serve = NonNullable<Route["serve"]>;

/** What the portal needs of its server for files. */
interface PortalFiles {
  sendRecording(part: RecordingPart): Serve;
  storeVideo(page: View): Serve;
  printStatement: PrintStatement;
}

export function createPortalRouter({ sendRecording, storeVideo, printStatement }: PortalFiles): Router<Route> {
  const router = createRouter<Route>();
  for (const [path, view] of Object.entries(views)) router.add("GET", path, { view });
  for (const [path, link] of Object.entries(links)) router.add("GET", path, { link });
  for (const [path, download] of Object.entries(downloads)) router.add("GET", path, { download });
  router.add("GET", "/earnings/statement.pdf", { download: (context) => statementPdf(context, printStatement) });
  for (const [path, part] of Object.entries(recordings)) router.add("GET", path, { serve: sendRecording(part) });
  for (const [path, action] of Object.entries(actions)) router.add("POST", path, { action });
  for (const [path, page] of Object.entries(videos)) router.add("POST", path, { serve: storeVideo(page) });
  return router;
}
