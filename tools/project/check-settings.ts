import { join } from "node:path";
import { unstable_readConfig } from "wrangler";

/**
 * Refuses a deployment whose settings in wrangler.toml are unsafe. With `--sample`, the sample's placeholder passes, so
 * that an unconfigured checkout can be bundled.
 */

/** Secrets can't be read here, so this is told every time. */
const PUSH_NOTE = `Notifications are offered only once the secret VAPID_KEYS is set: npm run push:keys, then
npx wrangler secret put VAPID_KEYS. Keep an old pair behind a new one, or every browser has to turn them on again.`;

if (import.meta.main) {
  const { vars } = unstable_readConfig({ config: join(import.meta.dirname, "..", "..", "wrangler.toml") });
  const options = { allowSample: process.argv.includes("--sample") };
  const faults = [originFault(vars.PUBLIC_ORIGIN, options), loginErrorsFault(vars.LOGIN_ERRORS, options)];
  for (const fault of faults) if (fault) console.error(fault);
  if (faults.some(Boolean)) process.exit(1);
  console.log(PUSH_NOTE);
}

/** Returns why PUBLIC_ORIGIN can't be deployed, as a sentence, or null. */
export function originFault(value: unknown, { allowSample = false } = {}): string | null {
  const example = 'for example PUBLIC_ORIGIN = "https://panel.your-domain.com"';
  if (typeof value !== "string" || value === "") {
    return `Set PUBLIC_ORIGIN in wrangler.toml to the origin of your site, ${example}. Links in emails start with it.`;
  }
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol !== "https:" || url.origin !== value.replace(/\/$/, "")) {
    return `PUBLIC_ORIGIN in wrangler.toml must be an https origin without a path, ${example}, not "${value}".`;
  }
  if (!allowSample && url.hostname.endsWith(".example")) {
    return `PUBLIC_ORIGIN in wrangler.toml is still the placeholder "${value}". Set it to the origin of your site.`;
  }
  return null;
}

/** Returns why LOGIN_ERRORS can't be deployed, as sentences, or null. It has no default: the operator must choose. */
export function loginErrorsFault(value: unknown, { allowSample = false } = {}): string | null {
  if (value === "spec" || value === "uniform" || (allowSample && value === "")) return null;
  const given = value === "" || value === undefined ? "" : ` ${JSON.stringify(value)} is neither.`;
  return [
    `Set LOGIN_ERRORS in wrangler.toml to "spec" or "uniform".${given}`,
    `"spec" shows the specification's texts, by which anybody can find out which emails have an account.`,
    `"uniform" shows one text for every refused login, so a customer with an old password isn't told why.`,
  ].join("\n");
}
