import { UNKNOWN_DEVICE } from "#app/accounts/visit/device-name.ts";
import type { ApiKeyChange, ConfirmedAction, Role, SecurityEventKind, WebhookChange } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import type { SecurityEvent } from "./security-events.server.ts";

/** Returns one sentence that tells the owner of the account what happened. */
export function eventSentence({ kind, device, detail }: Pick<SecurityEvent, "kind" | "device" | "detail">): string {
  return SENTENCES[kind](detail, from(device));
}

/** `detail` holds short words that the event was recorded with. `by` is " from Chrome on macOS", or "" if no browser did it. */
type Sentence = (detail: SecurityEvent["detail"], by: string) => string;

const SENTENCES: Record<SecurityEventKind, Sentence> = {
  log_in: (_, by) => `Logged in${by}`,
  log_in_failed: (_, by) => `Log-in failed${by}`,
  denied: ({ key, reason, action }, by) => {
    if (key !== undefined) return `Refused the API key ${quoted(key)}: it was used from an address that isn't allowed`;
    if (reason === "suspended") return `Refused a log-in${by}, because the account is suspended`;
    if (action === "second_step") return `Wrong code after the right password${by}`;
    const confirmed = ownValue(CONFIRMED, action ?? "");
    return confirmed ? `Wrong password or code to ${confirmed}${by}` : `Wrong password or code${by}`;
  },
  limited: (_, by) => `Paused attempts${by}, because there were too many`,
  signed_up: (_, by) => `Created the account${by}`,
  password_changed: (_, by) => `Changed the password${by}`,
  password_reset_requested: (_, by) => `Requested a link to reset the password${by}`,
  password_reset: (_, by) => `Reset the password with an emailed link${by}`,
  email_change_requested: ({ email = "another one" }, by) => `Requested to change the email address to ${email}${by}`,
  email_changed: ({ email = "another one" }, by) => `Changed the email address to ${email}${by}`,
  email_change_undone: (_, by) => `Undid a change of the email address${by}`,
  email_verified: (_, by) => `Confirmed the email address${by}`,
  new_device: (_, by) => `Logged in${by}, a new device`,
  new_device_rejected: () => "Rejected a log-in: logged out every device and turned off the password",
  factor_added: ({ factor = "" }, by) => `Added ${factorNamed(factor)}${by}`,
  factor_removed: ({ factor = "", by: who }, by) =>
    who === "support" ? "Our team removed the two-step login" : `Removed ${factorNamed(factor)}${by}`,
  factor_used: ({ factor = "" }, by) => `Confirmed a log-in with ${factorNamed(factor)}${by}`,
  recovery_code_used: ({ left }, by) => `Used a recovery code${by}${left === undefined ? "" : `; ${left} left`}`,
  api_key_created: ({ key = "" }, by) => `Created the API key ${quoted(key)}${by}`,
  api_key_changed: ({ key = "", change = "limited" }, by) =>
    `${ownValue(API_KEY_CHANGES, change) ?? "Changed the API key"} ${quoted(key)}${by}`,
  api_key_revoked: ({ key }, by) =>
    key === undefined ? "Revoked all API keys" : `Revoked the API key ${quoted(key)}${by}`,
  api_key_new_network: ({ key = "" }) => `Used the API key ${quoted(key)} on a new network`,
  webhook_added: ({ url = "" }, by) => `Added the webhook ${url}${by}`,
  webhook_changed: ({ url, change = "" }, by) => {
    if (url === undefined) return "Turned off all webhooks";
    return (ownValue(WEBHOOK_CHANGES, change) ?? ((of) => `Changed the webhook ${of}`))(url + by);
  },
  webhook_removed: ({ url = "" }, by) => `Removed the webhook ${url}${by}`,
  session_ended: ({ device, reason }, by) => {
    if (reason === "token_reused") return "Ended a session, because an old token of it was used again";
    return device === undefined ? `Logged out${by}` : `Logged out ${device}${by}`;
  },
  sessions_ended: ({ reason }, by) =>
    reason === "setup_link"
      ? "Our team sent a new link to set up two-step login, and logged out all devices"
      : `Logged out other devices${by}`,
  suspended: () => "Our team suspended the account",
  reactivated: () => "Our team reactivated the account",
  role_changed: ({ role, by }) => {
    if (by === "emailed_link") return "Became a customer account, because an emailed link removed a second factor";
    return role === undefined ? "Our team changed your role" : `Our team made you ${ownValue(ROLES, role) ?? role}`;
  },
  data_exported: (_, by) => `Downloaded the account's data${by}`,
  deletion_requested: (_, by) => `Requested to delete the account${by}`,
};

/** By the `action` of an event. */
const CONFIRMED: Record<ConfirmedAction, string> = {
  change_password: "change the password",
  change_email: "change the email address",
  delete_account: "delete the account",
  confirm_identity: "confirm your identity",
};
/** By the `change` of an event. */
const API_KEY_CHANGES: Record<ApiKeyChange, string> = {
  replaced: "Replaced the API key",
  limited: "Changed the limits of the API key",
};
/** By the `change` of an event, with the webhook and who changed it. */
const WEBHOOK_CHANGES: Record<WebhookChange, (webhook: string) => string> = {
  turned_on: (webhook) => `Turned on the webhook ${webhook}`,
  new_secret: (webhook) => `Replaced the secret of the webhook ${webhook}`,
  events: (webhook) => `Changed the events of the webhook ${webhook}`,
  failing: (webhook) => `Turned off the webhook ${webhook}, because it kept failing`,
};
/** By the `factor` of an event. Any other one is a passkey with its name, such as "Passkey “Phone”". */
const FACTORS: Record<string, string> = {
  "": "a second factor",
  Passkey: "a passkey",
  "Authenticator app": "an authenticator app",
  "Recovery codes": "recovery codes",
};
const ROLES: Record<Role, string> = { customer: "a customer", agent: "an agent", admin: "an admin" };

function factorNamed(factor: string): string {
  return ownValue(FACTORS, factor) ?? `the ${factor.charAt(0).toLowerCase()}${factor.slice(1)}`;
}

function from(device: string): string {
  if (device === "") return "";
  return device === UNKNOWN_DEVICE ? " from an unknown device" : ` from ${device}`;
}

function quoted(name: string): string {
  return `“${name}”`;
}
