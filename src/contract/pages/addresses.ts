/**
 * The addresses of this server's pages, for their markup and redirects, for mails and for `playtest open`. What a form posts to and the
 * files of a page stand beside it, with an address below that of the page.
 */

/** The parameters of a path, in its order: what starts with a colon. */
type ParametersOf<Path extends string> = Path extends `${string}/:${string}/${infer Rest}`
  ? [parameter: string, ...ParametersOf<`/${Rest}`>]
  : Path extends `${string}/:${string}`
    ? [parameter: string]
    : [];

/** Called with its parameters it gives the path with them, for a link. They need no escapes: they are ids, tokens and names. */
export interface Address<Path extends string> {
  (...parameters: ParametersOf<Path>): string;
  /** The path with the names of its parameters, for a route. */
  path: Path;
  /** The address with more behind it. */
  below<More extends string>(more: More): Address<`${Path}/${More}`>;
}

function address<Path extends string>(path: Path): Address<Path> {
  const filled = (...parameters: ParametersOf<Path>) => {
    const left: string[] = [...parameters];
    return path.replace(/:\w+/g, () => left.shift() ?? "");
  };
  return Object.assign(filled, {
    path,
    below: <More extends string>(more: More) => address<`${Path}/${More}`>(`${path}/${more}`),
  });
}

const watched = address("/watch");
const sandboxMails = address("/sandbox/mails");
const watch = address("/watch/:id");
const offer = address("/play/offers/:id");
const checkout = address("/checkout/:token");

/** Pages for everybody, and those whose address or token is the key to them. */
export const pages = {
  home: address("/"),
  docs: address("/docs"),
  docsSearch: address("/docs/search"),
  reference: address("/docs/api"),
  group: address("/docs/api/:group"),
  objects: address("/docs/api/objects"),
  topic: address("/docs/:topic"),
  watched,
  watchedGame: watched.below("games/:id"),
  watchedFeed: watched.below("feed.xml"),
  sitemap: address("/sitemap.xml"),
  commandPackage: address("/playtest-cli.tgz"),
  watch,
  watchEmbedded: watch.below("embed"),
  watchVideo: watch.below("video"),
  watchPoster: watch.below("poster"),
  watchCaptions: watch.below("captions"),
  watchCues: watch.below("cues"),
  share: address("/share/:token"),
  checkout,
  cancelCheckout: checkout.below("cancel"),
  paid: checkout.below("done"),
  notPaid: checkout.below("left"),
  todo: address("/todo/:task"),
  /** The emails of a sandbox. A live server has none of these. */
  sandboxMails,
  sandboxMail: sandboxMails.below(":id"),
  /** The address of the build of a game that has none yet. */
  noBuild: address("/builds/none"),
  invite: address("/invite"),
  verifyEmail: address("/verify-email"),
  changeEmail: address("/change-email"),
  resetPassword: address("/reset-password"),
  unsubscribe: address("/unsubscribe"),
  mcp: address("/mcp"),
  /** Where clients of `mcp` are connected to an account (OAuth 2.1). */
  authorize: address("/oauth/authorize"),
  token: address("/oauth/token"),
  registerClient: address("/oauth/register"),
  revokeToken: address("/oauth/revoke"),
  /** What a client learns about these (RFC 8414). */
  authorizationServer: address("/.well-known/oauth-authorization-server"),
  /** What a client of `mcp` learns about how to sign in (RFC 9728, section 3.1). */
  mcpMetadata: address("/.well-known/oauth-protected-resource/mcp"),
};

/** The pages of an account. Playtesters and game owners have the same ones, each below the path of their own pages. */
const accountBelow = <const Base extends string>(base: Base) => ({
  notifications: address(`${base}/notifications`),
  account: address(`${base}/account`),
  emails: address(`${base}/account/emails`),
  factor: address(`${base}/account/factor`),
  passkeys: address(`${base}/account/passkeys`),
  keys: address(`${base}/account/keys`),
});

/** Pages for playtesters. */
export const portal = {
  ...accountBelow("/play"),
  offers: address("/play"),
  offer,
  agreement: offer.below("agreement"),
  slots: address("/play/slots"),
  slot: address("/play/slots/:id"),
  howToRecord: address("/play/help/recording"),
  applications: address("/play/applications"),
  messages: address("/play/messages"),
  conversation: address("/play/messages/:id"),
  friends: address("/play/friends"),
  earnings: address("/play/earnings"),
  payoutDetails: address("/play/earnings/details"),
  statement: address("/play/earnings/statement"),
  signIn: address("/play/sign-in"),
  confirmSignIn: address("/play/sign-in/confirm"),
  register: address("/play/register"),
  forgot: address("/play/forgot"),
  signOut: address("/play/sign-out"),
};

/** Studio: pages for game owners. */
export const studio = {
  ...accountBelow("/studio"),
  inbox: address("/studio"),
  games: address("/studio/games"),
  newGame: address("/studio/games/new"),
  game: address("/studio/games/:id"),
  editGame: address("/studio/games/:id/edit"),
  builds: address("/studio/games/:id/builds"),
  order: address("/studio/order"),
  bulkOrder: address("/studio/order/bulk"),
  billing: address("/studio/billing"),
  payment: address("/studio/billing/payments/:id"),
  webhooks: address("/studio/webhooks"),
  webhook: address("/studio/webhooks/:id"),
  findings: address("/studio/games/:id/findings"),
  gameHighlights: address("/studio/games/:id/highlights"),
  finding: address("/studio/findings/:id"),
  playtest: address("/studio/playtests/:id"),
  applications: address("/studio/playtests/:id/applications"),
  compare: address("/studio/playtests/:id/compare"),
  highlights: address("/studio/playtests/:id/highlights"),
  slot: address("/studio/slots/:id"),
  problem: address("/studio/slots/:id/problem"),
  approvals: address("/studio/approvals"),
  connect: address("/studio/connect/:id"),
  approval: address("/studio/approvals/:id"),
  messages: address("/studio/messages"),
  conversation: address("/studio/messages/:id"),
  search: address("/studio/search"),
  stats: address("/studio/stats"),
  signIn: address("/studio/sign-in"),
  confirmSignIn: address("/studio/sign-in/confirm"),
  register: address("/studio/register"),
  forgot: address("/studio/forgot"),
  signOut: address("/studio/sign-out"),
};

/** Pages for operators. */
export const operator = {
  waiting: address("/admin"),
  people: address("/admin/people"),
  person: address("/admin/people/:id"),
  playtests: address("/admin/playtests"),
  playtest: address("/admin/playtests/:id"),
  signIn: address("/admin/sign-in"),
  signOut: address("/admin/sign-out"),
};
