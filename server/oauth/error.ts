/** The codes of RFC 6749, 7591 and 8707 that this server answers. */
export type OAuthCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** A request of a client that is refused. The message is for whoever develops the client. */
export class OAuthError extends Error {
  override name = "OAuthError";
  readonly code: OAuthCode;
  constructor(code: OAuthCode, message: string) {
    super(message);
    this.code = code;
  }
}
