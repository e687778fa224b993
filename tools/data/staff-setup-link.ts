import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";

const SETUP_PATH = "/account/two-step";

/**
 * Returns where new staff set up their second factor: of the deployed site, or of the local copy in `stateDir`. The link
 * holds no secret, because whoever follows it logs in first. Null if the origin is unknown.
 */
export function staffSetupLink({ remote, stateDir }: { remote: boolean; stateDir: string }): string | null {
  const origin = remote ? deployedOrigin() : localOrigin(stateDir);
  return typeof origin === "string" && URL.canParse(origin) ? new URL(SETUP_PATH, origin).href : null;
}

function deployedOrigin(): unknown {
  const config = join(import.meta.dirname, "..", "..", "wrangler.toml");
  return unstable_readConfig({ config }).vars.PUBLIC_ORIGIN;
}

function localOrigin(stateDir: string): unknown {
  const file = join(stateDir, "demo.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { url?: unknown }).url : null;
}
