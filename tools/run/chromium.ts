import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Debian's browsers, best first. The headless shell is Chromium's engine without windows, which cost as much processor
 * time per browser context as a page.
 */
const DEBIAN = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** Returns the path of Debian's browser, or undefined to use the one that Playwright downloads. */
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
