import { CommandError } from "#tools/run/command-line.ts";
import type { ReleasePlan } from "./preflight.ts";
import { splitTraffic, upload, type Wrangler } from "./wrangler-calls.ts";

/** Percentages of the new version between the smoke test and everything. */
const STEPS = [10, 50];

/** The deployed site, as a visitor reaches it. */
export type Site = {
  /** Throws what is wrong. `version`: the test runs on that one, by its override header, and fails if another answers. */
  smokeTest(version: string | null): Promise<void>;
  /** Returns whether one visitor's requests all reach the same version, as they must while there are two. */
  keepsVisitorsOnOneVersion(): Promise<boolean>;
};

export type Release = {
  wrangler: Wrangler;
  site: Site;
  plan: ReleasePlan;
  message: string;
  commit: string;
  /** Path of the secrets that the new version brings, or null. */
  secrets: string | null;
  say: (line: string) => void;
};

/** Uploads the built worker and moves the visitors to it. Returns the new version. Throws after it went back. */
export async function release(options: Release): Promise<string> {
  const { wrangler, site, plan, message, commit, secrets, say } = options;
  const args = ["--message", message, "--tag", commit, ...(secrets ? ["--secrets-file", secrets] : [])];
  if (plan.kind === "at_once") {
    say(`Deploying at once, because ${plan.reason}`);
    const version = await upload(wrangler, ["deploy", ...args]);
    await site.smokeTest(version);
    return version;
  }
  const version = await upload(wrangler, ["versions", "upload", ...args]);
  await moveUp(options, version, plan.old);
  // Routes and cron triggers don't come with a version.
  await wrangler(["triggers", "deploy"]);
  return version;
}

/**
 * Moves the visitors to the new version. The new one always comes first: a Durable Object stays on the version it was
 * moved to as long as the order is kept and the share grows.
 * https://developers.cloudflare.com/workers/configuration/versions-and-deployments/gradual-deployments/
 */
async function moveUp({ wrangler, site, message, say }: Release, version: string, old: string): Promise<void> {
  const split = (percentage: number) =>
    splitTraffic(
      wrangler,
      [
        { version_id: version, percentage },
        { version_id: old, percentage: 100 - percentage },
      ],
      message,
    );
  let at = 0;
  try {
    await split(0);
    say(`Uploaded ${version}: at 0 %, smoke test`);
    await site.smokeTest(version);
    for (at of STEPS) {
      await split(at);
      // A page of one version needs scripts that only that version has.
      if (!(await site.keepsVisitorsOnOneVersion())) {
        say(`Skipping the steps: visitors aren't kept on one version. docs/deploy.md says how to set that up`);
        break;
      }
      say(`At ${at} %, smoke test`);
      await site.smokeTest(version);
    }
    at = 100;
    await splitTraffic(wrangler, [{ version_id: version, percentage: 100 }], message);
    say("At 100 %, smoke test");
    await site.smokeTest(version);
  } catch (error) {
    await goBack(wrangler, old);
    throw new CommandError(`At ${at} %: ${(error as Error).message}. Everything is back on ${old}.`, { cause: error });
  }
}

async function goBack(wrangler: Wrangler, old: string): Promise<void> {
  try {
    await splitTraffic(wrangler, [{ version_id: old, percentage: 100 }], "Went back after a failure");
  } catch (error) {
    throw new CommandError(`Couldn't go back: npx wrangler versions deploy ${old}@100%. ${(error as Error).message}`);
  }
}
