import { accountPage, changePassword, saveAccount } from "./account.ts";
import { applicationsPage, withdraw } from "./applications.ts";
import { conversationPage, messagesPage, openConversation, send, setBlocked } from "./chat.ts";
import { earningsPage } from "./earnings.ts";
import type { View, Visit } from "./layout.ts";
import { markAllRead, notificationsPage } from "./notifications.ts";
import { apply, claim, offersPage } from "./offers.ts";
import { buildLink, release, report, slotPage, slotsPage, submit, upload } from "./slots.ts";

/** What a form does: where to go afterwards, and the page to show again when it fails. */
export interface Action {
  run(visit: Visit): Promise<string>;
  page: View;
  /** Its form brings a file, after its other fields. */
  takesFile?: boolean;
  /** It takes a password: tries are counted. */
  guesses?: boolean;
}

/** Paths below `/play`. */
export const views: Record<string, View> = {
  "/": offersPage,
  "/slots": slotsPage,
  "/slots/:id": slotPage,
  "/applications": applicationsPage,
  "/messages": messagesPage,
  "/messages/:id": conversationPage,
  "/earnings": earningsPage,
  "/notifications": notificationsPage,
  "/account": accountPage,
};

/** Addresses that lead elsewhere, made when they are opened. */
export const links: Record<string, (visit: Visit) => Promise<string>> = {
  "/slots/:id/build": buildLink,
};

export const actions: Record<string, Action> = {
  "/offers/:id/claim": { run: claim, page: offersPage },
  "/offers/:id/apply": { run: apply, page: offersPage },
  "/applications/:id/withdraw": { run: withdraw, page: applicationsPage },
  "/slots/:id/video": { run: upload, page: slotPage, takesFile: true },
  "/slots/:id/submit": { run: submit, page: slotPage },
  "/slots/:id/release": { run: release, page: slotPage },
  "/slots/:id/report": { run: report, page: slotPage },
  "/messages/with/:id": { run: openConversation, page: messagesPage },
  "/messages/:id": { run: send, page: conversationPage },
  "/messages/:id/block": { run: (visit) => setBlocked(visit, true), page: conversationPage },
  "/messages/:id/unblock": { run: (visit) => setBlocked(visit, false), page: conversationPage },
  "/notifications/read": { run: markAllRead, page: notificationsPage },
  "/account": { run: saveAccount, page: accountPage },
  "/account/password": { run: changePassword, page: accountPage, guesses: true },
};
