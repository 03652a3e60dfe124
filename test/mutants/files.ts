/** Sources that several tables break. */
export const orders = "server/playtests/orders.ts";
export const problems = "server/playtests/slots/problems.ts";
export const moves = "server/playtests/slots/transitions.ts";
export const review = "server/playtests/slots/review.ts";
export const choosing = "server/playtests/applications/service.ts";
export const claims = "server/playtests/slots/claims.ts";
export const times = "server/playtests/slots/rules.ts";
export const ledger = "server/ledger/rules.ts";
export const slotRows = "server/playtests/slots/store.ts";
export const slotRoutes = "server/playtests/slots/handlers.ts";
export const playtestRows = "server/playtests/store.ts";
export const execute = "server/http/execute.ts";
export const idempotency = "server/http/idempotency.ts";
export const states = "src/contract/states/index.ts";
export const chatRows = "server/chat/store.ts";
