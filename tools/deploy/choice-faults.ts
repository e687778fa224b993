import { readTypedEmail } from "#app/email-address.ts";
import { MAX_ALERT_EMAILS } from "#app/settings/site-settings.ts";

/** Faults that stop a deployment, each as one sentence for the operator. Every function returns null if all is well. */

const ZERO_ID = /^[0-]*\d?$/;
/**
 * Where D1 and R2 can keep data, with where its backups go: into the neighboring region, so that one disaster doesn't take both,
 * and what European customers gave stays in Europe. https://developers.cloudflare.com/d1/configuration/data-location/ and
 * https://developers.cloudflare.com/r2/reference/data-location/
 */
export const BACKUP_LOCATIONS: Record<string, string> = {
  weur: "eeur",
  eeur: "weur",
  enam: "wnam",
  wnam: "enam",
  apac: "oc",
  oc: "apac",
};
export const LOCATIONS = Object.keys(BACKUP_LOCATIONS);

export function domainFault(value: string): string | null {
  const example = "for example panel.your-domain.com";
  if (!/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(value)) {
    return `The domain must be a host name in lower case, ${example}, not "${value}".`;
  }
  if (value.endsWith(".workers.dev")) {
    return `"${value}" is a workers.dev address. Choose a domain of your own, ${example}: its DNS must be at Cloudflare.`;
  }
  return isPlaceholder(value) ? `"${value}" is a placeholder. Choose the domain of your site, ${example}.` : null;
}

export function senderFault(value: string): string | null {
  const domain = domainOfAddress(value);
  if (domain === null) return `The sender must be an email address, such as no-reply@your-domain.com, not "${value}".`;
  return isPlaceholder(domain)
    ? `The sender "${value}" is a placeholder. No mail leaves from .example: choose an address at a domain of yours.`
    : null;
}

export function mailboxFault(value: string): string | null {
  const domain = domainOfAddress(value);
  if (domain === null || isPlaceholder(domain)) {
    return `An address must be one whose mail you can read, not "${value}".`;
  }
  return null;
}

/** The worker leaves out what is no address, and all after the fifth. */
export function alertEmailsFault(value: string): string | null {
  const addresses = value.split(",").map((address) => address.trim());
  if (addresses.length > MAX_ALERT_EMAILS) {
    return `Alerts go to up to ${MAX_ALERT_EMAILS} addresses, not to ${addresses.length}. Add more at /admin/settings.`;
  }
  return addresses.map(mailboxFault).find((fault) => fault !== null) ?? null;
}

/** LOGIN_ERRORS has no default: the operator must choose. */
export function loginErrorsFault(value: string): string | null {
  return value === "spec" || value === "uniform" ? null : `Login errors must be "spec" or "uniform", not "${value}".`;
}

export function secondFactorFault(value: string): string | null {
  if (value === "required" || value === "off") return null;
  return `The staff's second factor must be "required" or "off", not "${value}".`;
}

export function metricsFault(value: string): string | null {
  return value === "on" || value === "off" ? null : `Metrics must be "on" or "off", not "${value}".`;
}

export function locationFault(value: string): string | null {
  return LOCATIONS.includes(value) ? null : `The location must be one of ${LOCATIONS.join(", ")}, not "${value}".`;
}

/** An id of zeros is wrangler.toml's own, which stands for a local database. */
export function databaseIdFault(binding: string, id: string, file: string): string | null {
  if (!ZERO_ID.test(id)) return null;
  return `${binding} has the database id "${id}" in ${file}. Remove the line: the deployment makes the database.`;
}

/** Returns the domain in lower case and ASCII, or null if it is no address at a domain below another. */
export function domainOfAddress(address: string): string | null {
  const domain = readTypedEmail(address)?.split("@")[1];
  return domain?.includes(".") && address === address.trim() ? domain : null;
}

function isPlaceholder(domain: string): boolean {
  return /(^|\.)(example|test|invalid|localhost)$/.test(domain);
}
