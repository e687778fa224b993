import { join } from "node:path";
import { unstable_readConfig } from "wrangler";

/**
 * Refuses a deployment whose settings in wrangler.toml are unsafe. With `--sample`, the sample's placeholder passes, so
 * that an unconfigured checkout can be bundled.
 */

if (import.meta.main) {
  const { vars } = unstable_readConfig({ config: join(import.meta.dirname, "..", "..", "wrangler.toml") });
  const fault = originFault(vars.PUBLIC_ORIGIN, { allowSample: process.argv.includes("--sample") });
  if (fault) {
    console.error(fault);
    process.exit(1);
  }
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
