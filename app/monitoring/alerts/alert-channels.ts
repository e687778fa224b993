import { isPublicUrl } from "#app/http/outgoing/public-url.ts";
import { alertRecipients, deployedAlertEmails, MAX_ALERT_EMAILS } from "#app/settings/site-settings.ts";

export type AlertEnv = Pick<
  Env,
  "ALERT_EMAIL" | "ALERT_WEBHOOK_URL" | "ALERT_WEBHOOK_SECRET" | "ENVIRONMENT" | "PUBLIC_ORIGIN"
>;

/** Where alerts go. `problems`: what the settings lack, in words for an admin. */
export type AlertChannels = {
  emails: string[];
  webhook: { url: string; secret: string } | null;
  problems: string[];
};

const SECRET = /^whsec_[A-Za-z\d+/]{16,}={0,2}$/;

/** `added`: the addresses that admins set, beside those of the deployment. */
export function alertChannels(env: AlertEnv, added: string[] = []): AlertChannels {
  const problems: string[] = [];
  const deployed = deployedAlertEmails(env);
  const emails = alertRecipients(env, added);
  if (!deployed.isWhole) problems.push(`ALERT_EMAIL takes up to ${MAX_ALERT_EMAILS} addresses, comma-separated.`);
  const webhook = webhookOf(env, problems);
  if (emails.length === 0 && !webhook) {
    problems.push("Nobody gets these alerts. Set ALERT_EMAIL or ALERT_WEBHOOK_URL in the deployment's settings.");
  } else if (deployed.addresses.length === 0 && !webhook) {
    problems.push(
      "Whoever takes over an admin's account can silence these alerts. Set ALERT_EMAIL in the deployment's settings.",
    );
  }
  return { emails, webhook, problems };
}

function webhookOf(env: AlertEnv, problems: string[]): AlertChannels["webhook"] {
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = env;
  if (!url) return null;
  if (!isPublicUrl(url, env.ENVIRONMENT === "local")) {
    problems.push("ALERT_WEBHOOK_URL must be an https URL of a public host.");
    return null;
  }
  if (!secret || !SECRET.test(secret)) {
    problems.push(
      "ALERT_WEBHOOK_URL needs the secret ALERT_WEBHOOK_SECRET, “whsec_” and at least 16 characters of base64.",
    );
    return null;
  }
  return { url, secret };
}
