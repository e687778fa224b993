import { join } from "node:path";
import { readDemo } from "#tools/demo/seed.ts";
import { deployedConfig } from "#tools/deploy/environment-config.ts";
import { resolveStateDir } from "#tools/run/state-files.ts";

/** Returns the origin of setup links: of the deployed site, or of the local copy in `stateDir`. Null if it is unknown. */
export function setupOrigin({ remote, stateDir }: { remote: boolean; stateDir: string }): string | null {
  const origin = remote ? deployedOrigin() : localOrigin(stateDir);
  return typeof origin === "string" && URL.canParse(origin) ? new URL(origin).origin : null;
}

function deployedOrigin(): unknown {
  return deployedConfig(join(import.meta.dirname, "..", "..")).vars.PUBLIC_ORIGIN;
}

function localOrigin(stateDir: string): unknown {
  return readDemo(resolveStateDir(stateDir))?.url;
}
