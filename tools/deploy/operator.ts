import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { UsageError } from "#tools/run/command-line.ts";
import { type Ask, type Choices, ENVIRONMENTS, type Environment, smokeAccountFile } from "./choices.ts";
import type { Site } from "./release.ts";
import { keepsOneVersion, untilServed } from "./site-client.ts";
import { smokeTestOf } from "./smoke-test.ts";

/** Parts that deploying and rolling back share: the person at the terminal, and the site. */

export function environmentNamed(name: string | undefined): Environment {
  const environment = ENVIRONMENTS.find((one) => one === name);
  if (!environment) throw new UsageError(`The environment is ${ENVIRONMENTS.join(" or ")}, not "${name}".`);
  return environment;
}

export function siteOf(
  root: string,
  environment: Environment,
  { domain, smokeTestEmail }: Choices,
  worker: string,
): Site {
  const url = `https://${domain}`;
  const accountFile = join(root, smokeAccountFile(environment));
  const smokeTest = smokeTestOf({ url, worker, accountFile, email: smokeTestEmail, say: console.log });
  return {
    async smokeTest(version) {
      await untilServed(url, worker, version);
      await smokeTest(version);
    },
    keepsVisitorsOnOneVersion: () => keepsOneVersion(url),
  };
}

/** Calls `use` with what asks a person, or with null if nobody is there. */
export async function withTerminal(use: (ask: Ask | null) => Promise<void>): Promise<void> {
  if (!process.stdin.isTTY || process.env.CI) return use(null);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    await use((question) => terminal.question(question));
  } finally {
    terminal.close();
  }
}
