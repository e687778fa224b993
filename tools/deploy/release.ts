import { CommandError } from "#tools/run/command-line.ts";
import type { Environment } from "./choices.ts";
import type { ReleasePlan } from "./preflight.ts";
import {
  describeSplit,
  readDeployed,
  type Split,
  splitTraffic,
  takeBack,
  upload,
  type Wrangler,
} from "./wrangler-calls.ts";

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
  environment: Environment;
  wrangler: Wrangler;
  site: Site;
  plan: ReleasePlan;
  message: string;
  commit: string;
  /** Secrets that the new version brings. */
  secrets: Record<string, string>;
  say: (line: string) => void;
};

/** Uploads the built worker and moves the visitors to it. Returns the new version. Throws after it went back. */
export async function release(options: Release): Promise<string> {
  const { wrangler, site, plan, message, commit, secrets, say } = options;
  const args = ["--message", message, "--tag", commit];
  if (plan.kind === "at_once") {
    say(`Deploying at once, because ${plan.reason}`);
    const version = await upload(wrangler, ["deploy", ...args], secrets);
    await site.smokeTest(version).catch((error: Error) => {
      throw new CommandError(`${version} serves everybody and can't be taken back by itself: ${error.message}`);
    });
    return version;
  }
  const version = await upload(wrangler, ["versions", "upload", ...args], secrets);
  await moveUp(options, version, plan.old);
  // Routes and cron triggers don't come with a version.
  await wrangler(["triggers", "deploy"]).catch((error: Error) => {
    throw new CommandError(
      `Everybody is on ${version}, but not its routes and cron triggers: ${error.message}. Run it again.`,
    );
  });
  return version;
}

/**
 * Moves the visitors to the new version. The new one always comes first: a Durable Object stays on the version it was
 * moved to as long as the order is kept and the share grows.
 * https://developers.cloudflare.com/workers/configuration/versions-and-deployments/gradual-deployments/
 */
async function moveUp(
  { environment, wrangler, site, message, say }: Release,
  version: string,
  old: string,
): Promise<void> {
  const ours: Split[][] = [[{ version_id: old, percentage: 100 }]];
  const moveTo = async (percentage: number) => {
    // A rollback, or another machine's release, must not be undone by the next step.
    if (!isSame(await currentSplit(wrangler), ours.at(-1))) throw new Error("somebody else moved the visitors");
    const rest = percentage < 100 ? [{ version_id: old, percentage: 100 - percentage }] : [];
    const splits = [{ version_id: version, percentage }, ...rest];
    // Before the call: it may fail after it took effect.
    ours.push(splits);
    await splitTraffic(wrangler, splits, message);
  };
  let at = 0;
  try {
    await moveTo(0);
    say(`Uploaded ${version}: at 0 %, smoke test`);
    await site.smokeTest(version);
    for (at of STEPS) {
      await moveTo(at);
      // A page of one version needs scripts that only that version has.
      if (!(await site.keepsVisitorsOnOneVersion())) {
        say(`Skipping the steps: visitors aren't kept on one version. docs/deploy.md says how to set that up`);
        break;
      }
      say(`At ${at} %, smoke test`);
      await site.smokeTest(version);
    }
    at = 100;
    await moveTo(at);
    say("At 100 %, smoke test");
    await site.smokeTest(version);
  } catch (error) {
    const current = await currentSplit(wrangler).catch(() => null);
    const outcome =
      current && !ours.some((splits) => isSame(current, splits))
        ? `This release stopped there, and left the visitors where somebody else moved them: ${describeSplit(current)}.`
        : await goBack(wrangler, old, environment);
    throw new CommandError(`At ${at} %: ${(error as Error).message}. ${outcome}`, { cause: error });
  }
}

async function currentSplit(wrangler: Wrangler): Promise<Split[]> {
  return (await readDeployed(wrangler))?.versions ?? [];
}

/** Returns whether the visitors are the same. Nothing documents that the platform lists a version without any. */
function isSame(splits: Split[], others: Split[] = []): boolean {
  const visited = (some: Split[]) => some.filter(({ percentage }) => percentage > 0);
  const key = (some: Split[]) => visited(some).map(({ version_id, percentage }) => `${version_id} ${percentage}`);
  return key(splits).toSorted().join() === key(others).toSorted().join();
}

/** Returns what it did. */
async function goBack(wrangler: Wrangler, old: string, environment: Environment): Promise<string> {
  try {
    // The new version may have brought secrets.
    await takeBack(wrangler, old, "Went back after a failure");
    return `Everything is back on ${old}.`;
  } catch (error) {
    throw new CommandError(
      `Couldn't go back: npm run rollback -- ${environment} ${old} --old-secrets. ${(error as Error).message}`,
    );
  }
}
