import { existsSync } from "node:fs";

/**
 * Debian's browsers, best first. The headless shell is Chromium's engine without windows, which cost as much processor
 * time per browser context as a page.
 */
export const DEBIAN_CHROMIUM = "chromium-headless-shell";
const SHELL = "/usr/bin/chromium-headless-shell";
const DEBIAN = [SHELL, "/usr/bin/chromium"];

/** Returns the path of Debian's browser, or undefined to use the one that Playwright downloads. */
export function chromiumPath(): string | undefined {
  return DEBIAN.find((path) => existsSync(path));
}

/** Returns whether Debian's headless shell is there. With the whole browser in its place, the browser tests take three times as long. */
export function hasHeadlessShell(): boolean {
  return existsSync(SHELL);
}
