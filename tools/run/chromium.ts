import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Debian's browsers, best first. The headless shell is the same engine without the windows of Chromium, which cost as
 * much processor time for each browser context as a page does.
 */
const DEBIAN = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** Returns where Debian's browser is; undefined stands for the one that Playwright downloads. */
export function chromiumPath(): string | undefined {
  return DEBIAN.find((path) => existsSync(path));
}

/** Installs the headless shell by apt and returns whether that worked. Needs root, on Debian. */
export function installDebianChromium(): boolean {
  const apt = (...args: string[]) =>
    spawnSync("apt-get", args, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })
      .status === 0;
  return apt("update", "-qq") && apt("install", "-y", "-qq", "--no-install-recommends", "chromium-headless-shell");
}
