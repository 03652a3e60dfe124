import { the } from "./shared/dom.ts";

/**
 * Asks the browser to create or to use a passkey with the options of the page, and posts what it answers with the page's form. It asks
 * when the page opens, and again when the button is pressed: some browsers want a click first.
 */
const form = the<HTMLFormElement>("#passkey");
const button = the<HTMLButtonElement>("button", form);
const problem = the("#passkey-problem");
const waiting = the("#passkey-waiting");

const bytesOf = (text: string) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const textOf = (buffer: ArrayBuffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Options as the page has them: what are bytes for the browser is base64url here. */
const pageOptions = <Options>() => JSON.parse(form.dataset.options!) as Options;

const credentialOf = ({ id, transports }: PublicKeyCredentialDescriptorJSON) => ({
  id: bytesOf(id),
  type: "public-key" as const,
  ...(transports && { transports: transports as AuthenticatorTransport[] }),
});

function create(): Promise<Credential | null> {
  const { challenge, user, excludeCredentials, ...rest } = pageOptions<PublicKeyCredentialCreationOptionsJSON>();
  const publicKey = {
    ...(rest as Omit<PublicKeyCredentialCreationOptions, "challenge" | "user">),
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    ...(excludeCredentials && { excludeCredentials: excludeCredentials.map(credentialOf) }),
  };
  return navigator.credentials.create({ publicKey });
}

function use(): Promise<Credential | null> {
  const { challenge, allowCredentials, ...rest } = pageOptions<PublicKeyCredentialRequestOptionsJSON>();
  const publicKey = {
    ...(rest as Omit<PublicKeyCredentialRequestOptions, "challenge">),
    challenge: bytesOf(challenge),
    ...(allowCredentials && { allowCredentials: allowCredentials.map(credentialOf) }),
  };
  return navigator.credentials.get({ publicKey });
}

const made = (response: AuthenticatorAttestationResponse) => ({
  attestationObject: textOf(response.attestationObject),
  transports: response.getTransports?.() ?? [],
});

const used = ({ authenticatorData, signature, userHandle }: AuthenticatorAssertionResponse) => ({
  authenticatorData: textOf(authenticatorData),
  signature: textOf(signature),
  ...(userHandle && userHandle.byteLength > 0 && { userHandle: textOf(userHandle) }),
});

/** What the server takes of an answer. */
function answerOf({ id, rawId, type, response }: PublicKeyCredential) {
  const clientDataJSON = textOf(response.clientDataJSON);
  const more =
    form.dataset.ceremony === "create"
      ? made(response as AuthenticatorAttestationResponse)
      : used(response as AuthenticatorAssertionResponse);
  return { id, rawId: textOf(rawId), type, response: { clientDataJSON, ...more }, clientExtensionResults: {} };
}

const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: "No passkey was used. Try again, or go back and choose another way.",
  InvalidStateError: "This device already has a passkey for your account.",
  SecurityError: "Your browser does not allow passkeys at this address.",
};

async function ask(): Promise<void> {
  const answer = await (form.dataset.ceremony === "create" ? create() : use());
  the<HTMLInputElement>("[name=response]", form).value = JSON.stringify(answerOf(answer as PublicKeyCredential));
  form.submit();
}

/** `silent`: nothing went wrong if the browser wants a click first. */
async function run({ silent }: { silent: boolean }): Promise<void> {
  problem.hidden = true;
  button.disabled = true;
  waiting.hidden = false;
  try {
    await ask();
  } catch (error) {
    const { name, message } = error as Error;
    waiting.hidden = true;
    button.disabled = false;
    if (silent && name === "NotAllowedError") return;
    problem.textContent = reasons[name] ?? `Your browser could not use a passkey: ${message}`;
    problem.hidden = false;
  }
}

if (window.PublicKeyCredential) {
  the("#passkey-unavailable").hidden = true;
  button.hidden = false;
  button.addEventListener("click", () => void run({ silent: false }));
  void run({ silent: true });
}
