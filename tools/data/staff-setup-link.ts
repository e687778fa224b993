import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { readDemo } from "#tools/demo/seed.ts";
import { resolveStateDir } from "#tools/run/state-files.ts";

/** Returns the origin of setup links: of the deployed site, or of the local copy in `stateDir`. Null if it is unknown. */
export function setupOrigin({ remote, stateDir }: { remote: boolean; stateDir: string }): string | null {
  const origin = remote ? deployedOrigin() : localOrigin(stateDir);
  return typeof origin === "string" && URL.canParse(origin) ? new URL(origin).origin : null;
}

function deployedOrigin(): unknown {
  const config = join(import.meta.dirname, "..", "..", "wrangler.toml");
  return unstable_readConfig({ config }).vars.PUBLIC_ORIGIN;
}

function localOrigin(stateDir: string): unknown {
  return readDemo(resolveStateDir(stateDir))?.url;
}
