/** Sources that several tables break. */
export const orders = "server/playtests/orders.ts";
export const moves = "server/playtests/slots.ts";
export const review = "server/playtests/review.ts";
export const choosing = "server/playtests/applications.ts";
export const claims = "server/playtests/claims.ts";
export const times = "server/domain/slots.ts";
export const ledger = "server/ledger/rules.ts";
export const slotRows = "server/store/slots.ts";
export const slotRoutes = "server/handlers/slots.ts";
export const playtestRows = "server/store/playtests.ts";
export const listener = "server/http/listener.ts";
export const chatRows = "server/store/chat.ts";
