import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Debian's packages of the languages that tests run, and what succeeds once each is there. They take half a minute. */
const LANGUAGES = {
  "php-cli": ["php", "-v"],
  "php-curl": ["php", "-r", "exit(function_exists('curl_init') ? 0 : 1);"],
  "golang-go": ["go", "version"],
  python3: ["python3", "--version"],
};

/** Returns whether apt can install packages here: on Debian, as root. */
export function canInstallPackages(): boolean {
  return existsSync("/etc/debian_version") && process.getuid?.() === 0;
}

/** Another run may be installing packages, and apt refuses at once by default. */
const LOCK_SECONDS = 600;

/** Installs packages and returns whether that worked. Prints only what goes wrong, because other steps print meanwhile. */
export async function installPackages(packages: string[]): Promise<boolean> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args: string[]) =>
    new Promise<boolean>((resolve) => {
      const child = spawn("apt-get", ["-o", `DPkg::Lock::Timeout=${LOCK_SECONDS}`, ...args], {
        stdio: ["ignore", "ignore", "inherit"],
        env,
      });
      child.once("error", () => resolve(false));
      child.once("close", (status) => resolve(status === 0));
    });
  return (await apt("update", "-qq")) && apt("install", "-y", "-qq", "--no-install-recommends", ...packages);
}

/** Returns the packages of languages that are missing on this machine. */
export function missingLanguages(): string[] {
  const works = ([program = "", ...args]: string[]) => spawnSync(program, args, { stdio: "ignore" }).status === 0;
  return Object.entries(LANGUAGES).flatMap(([name, probe]) => (works(probe) ? [] : [name]));
}
