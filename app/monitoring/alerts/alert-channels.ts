import { isPublicUrl } from "#app/http/outgoing/public-url.ts";

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

const MAX_EMAILS = 5;
const ADDRESS = /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/;
const SECRET = /^whsec_[A-Za-z\d+/]{16,}={0,2}$/;

/** `chosen`: the addresses that admins set. Without them, those of ALERT_EMAIL. */
export function alertChannels(env: AlertEnv, chosen?: string[]): AlertChannels {
  const problems: string[] = [];
  const given = (env.ALERT_EMAIL ?? "")
    .split(",")
    .map((address) => address.trim())
    .filter(Boolean);
  const configured = given.filter((address) => ADDRESS.test(address)).slice(0, MAX_EMAILS);
  const emails = chosen ?? configured;
  if (configured.length < given.length)
    problems.push(`ALERT_EMAIL takes up to ${MAX_EMAILS} addresses, comma-separated.`);
  const webhook = webhookOf(env, problems);
  if (emails.length === 0 && !webhook) {
    problems.push(
      "Nobody gets these alerts. Enter alert addresses on the page Settings, or set ALERT_WEBHOOK_URL in wrangler.toml.",
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
