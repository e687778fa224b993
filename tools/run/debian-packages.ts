import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Programs that tests run, and Debian's packages of them. They take half a minute to install. */
const LANGUAGES = { php: "php-cli", go: "golang-go" };

/** Returns whether apt can install packages here: on Debian, as root. */
export function canInstallPackages(): boolean {
  return existsSync("/etc/debian_version") && process.getuid?.() === 0;
}

/** Installs packages and returns whether that worked. */
export function installPackages(packages: string[]): boolean {
  const apt = (...args: string[]) =>
    spawnSync("apt-get", args, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })
      .status === 0;
  return apt("update", "-qq") && apt("install", "-y", "-qq", "--no-install-recommends", ...packages);
}

/** Returns the packages of the languages that are missing on this machine. */
export function missingLanguages(): string[] {
  const folders = String(process.env.PATH).split(delimiter);
  const isMissing = (program: string) => !folders.some((folder) => existsSync(join(folder, program)));
  return Object.entries(LANGUAGES).flatMap(([program, name]) => (isMissing(program) ? [name] : []));
}
