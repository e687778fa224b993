import { isPublicUrl } from "#app/http/outgoing/public-url.ts";
import { ownValue } from "#app/own-value.ts";
import { MAX_KEPT_DAYS, MIN_KEPT_DAYS } from "#app/support/inbox/closed-conversations.server.ts";
import { loginErrorsFault, secondFactorFault } from "./choice-faults.ts";
import { SECRET_NAMES } from "./deployed-secrets.ts";

/** Says what a value must be, or returns null if it is that. */
type Rule = (value: string) => string | null;

const MAX_REQUESTS_PER_MINUTE = 1_000_000;
/** https://developers.cloudflare.com/d1/platform/limits/ */
const MAX_DATABASE_GB = 10;

/** The worker falls back to a default where a value is none of these, so that only the deployment can refuse it. */
const RULES: Record<string, Rule> = {
  ENVIRONMENT: oneOf("production"),
  LOGIN_ERRORS: (value) => loginErrorsFault(value) && 'must be "spec" or "uniform"',
  STAFF_SECOND_FACTOR: (value) => secondFactorFault(value) && 'must be "required" or "off"',
  API_REQUESTS_PER_MINUTE: wholeNumber(1, MAX_REQUESTS_PER_MINUTE),
  CONVERSATIONS_KEPT_DAYS: orEmpty(wholeNumber(MIN_KEPT_DAYS, MAX_KEPT_DAYS)),
  DATABASE_LIMIT_GB: orEmpty((value) =>
    isNumber(value) && Number(value) > 0 && Number(value) <= MAX_DATABASE_GB
      ? null
      : `must be a number above 0, up to ${MAX_DATABASE_GB}`,
  ),
  REQUEST_LOG_SHARE: orEmpty((value) =>
    isNumber(value) && Number(value) <= 1 ? null : "must be a number from 0 to 1",
  ),
  REQUEST_COUNTS: oneOf(""),
  DEBUG_PAGES: oneOf("on", "off", ""),
  PUBLIC_ORIGIN: url,
  PWNED_PASSWORDS_URL: orEmpty(url),
  EMAIL_API_URL: orEmpty(url),
  ALERT_WEBHOOK_URL: orEmpty(url),
  GOOGLE_ISSUER: url,
  GOOGLE_API_BASE: url,
  FCM_API_URL: orEmpty(url),
  STRIPE_API_URL: orEmpty(url),
};

/** Variables whose value may be any text. */
const TEXTS = [
  ...["ALERT_EMAIL", "EMAIL_FROM", "REPLY_DOMAIN", "GOOGLE_CLIENT_ID"],
  ...["ANDROID_APP_ID", "ANDROID_CERT_SHA256", "IOS_APP_ID"],
];

/** The variables that a deployment knows. Others, such as a misspelled one, would be read by nothing. */
export const KNOWN_VARIABLES = [...Object.keys(RULES), ...TEXTS];

/** Returns one line for each variable that the worker could not read as it was meant. */
export function variableFaults(vars: Record<string, unknown>): string[] {
  return Object.entries(vars).flatMap(([name, value]) => {
    const where = "in wrangler.toml or the choices";
    // planSecrets refuses them.
    if (SECRET_NAMES.includes(name)) return [];
    if (!KNOWN_VARIABLES.includes(name)) return `The variable ${name} ${where} is unknown. Check its spelling.`;
    const why = typeof value === "string" ? ownValue(RULES, name)?.(value) : "must be text, in quotes";
    return why ? `${name} ${where} ${why}, not ${JSON.stringify(value)}.` : [];
  });
}

function isNumber(value: string): boolean {
  return /^\d+(\.\d+)?$/.test(value);
}

function wholeNumber(min: number, max: number): Rule {
  return (value) =>
    /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
      ? null
      : `must be a whole number from ${min} to ${max}`;
}

function oneOf(...allowed: string[]): Rule {
  const list = allowed.map((one) => JSON.stringify(one)).join(" or ");
  return (value) => (allowed.includes(value) ? null : `must be ${list}`);
}

function orEmpty(rule: Rule): Rule {
  return (value) => (value === "" ? null : rule(value));
}

function url(value: string): string | null {
  return isPublicUrl(value, false) ? null : "must be an https URL of a public host";
}
