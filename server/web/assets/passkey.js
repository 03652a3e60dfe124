/**
 * Asks the browser to create or to use a passkey with the options of the page, and posts what it answers with the page's form. It asks
 * when the page opens, and again when the button is pressed: some browsers want a click first.
 */
const form = document.getElementById("passkey");
const button = form.querySelector("button");
const problem = document.getElementById("passkey-problem");
const waiting = document.getElementById("passkey-waiting");
const { ceremony } = form.dataset;

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const textOf = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const credentialOf = (credential) => ({ ...credential, id: bytesOf(credential.id) });

/** The options with bytes where the page has base64url. */
function optionsOf(json) {
  const options = { ...json, challenge: bytesOf(json.challenge) };
  if (json.user) options.user = { ...json.user, id: bytesOf(json.user.id) };
  for (const name of ["allowCredentials", "excludeCredentials"]) if (json[name]) options[name] = json[name].map(credentialOf);
  return options;
}

/** What the server takes of an answer. */
function answerOf({ id, rawId, type, response }) {
  const clientDataJSON = textOf(response.clientDataJSON);
  const made = () => ({
    attestationObject: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
  const used = () => ({
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
    ...(response.userHandle?.byteLength > 0 && { userHandle: textOf(response.userHandle) }),
  });
  const more = ceremony === "create" ? made() : used();
  return { id, rawId: textOf(rawId), type, response: { clientDataJSON, ...more }, clientExtensionResults: {} };
}

const reasons = {
  NotAllowedError: "No passkey was used. Try again, or go back and choose another way.",
  InvalidStateError: "This device already has a passkey for your account.",
  SecurityError: "Your browser does not allow passkeys at this address.",
};

async function ask() {
  const publicKey = optionsOf(JSON.parse(form.dataset.options));
  const answer = await navigator.credentials[ceremony]({ publicKey });
  form.elements.response.value = JSON.stringify(answerOf(answer));
  form.submit();
}

/** `silent`: nothing went wrong if the browser wants a click first. */
async function run({ silent }) {
  problem.hidden = true;
  button.disabled = true;
  waiting.hidden = false;
  try {
    await ask();
  } catch (error) {
    waiting.hidden = true;
    button.disabled = false;
    if (silent && error.name === "NotAllowedError") return;
    problem.textContent = reasons[error.name] ?? `Your browser could not use a passkey: ${error.message}`;
    problem.hidden = false;
  }
}

if (window.PublicKeyCredential) {
  document.getElementById("passkey-unavailable").hidden = true;
  button.hidden = false;
  button.addEventListener("click", () => run({ silent: false }));
  run({ silent: true });
}
