import { CommandError } from "#tools/run/command-line.ts";
import type { Environment } from "./choices.ts";
import { objectsTagOf } from "./preflight.ts";
import type { Site } from "./release.ts";
import { type ReleaseRecord, readRecords } from "./release-records.ts";
import {
  type DeployedSplit,
  listDeployments,
  listVersions,
  readDeployed,
  splitTraffic,
  type Version,
  type Wrangler,
} from "./wrangler-calls.ts";

export type Rollback = {
  root: string;
  environment: Environment;
  wrangler: Wrangler;
  /** The version to go back to, or null for the one before. */
  to: string | null;
  databases: string[];
  site: Site;
  say: (line: string) => void;
  /** Asks before the traffic moves. */
  confirm: (question: string) => Promise<boolean>;
};

const LIMITS = [
  "Undone: the code, its variables and static files, back to one of the last 10 versions.",
  "Not undone: what is in D1, Durable Objects and R2; changes of Durable Object classes; migrations; secrets; routes",
  "and cron triggers. The database keeps its newer schema, which the version before it can run on.",
];

/** Says what can be undone, moves everybody to the older version and tests it. */
export async function rollBack(rollback: Rollback): Promise<void> {
  const { wrangler, site, say, environment } = rollback;
  const deployed = await readDeployed(wrangler);
  if (!deployed) throw new CommandError(`Nothing is deployed as ${environment}.`);
  const versions = await listVersions(wrangler);
  const target = findTarget(rollback.to, versions, deployed, await listDeployments(wrangler));
  for (const line of LIMITS) say(line);
  for (const version of versions) say(describeVersion(version, deployed));
  for (const line of describeTimeTravel(rollback, target)) say(line);
  if (!(await rollback.confirm(`Move everybody to ${target.id}?`))) return say("Nothing was changed.");
  await splitTraffic(wrangler, [{ version_id: target.id, percentage: 100 }], `Rolled back to ${target.id}`);
  say(`Everybody is on ${target.id}, smoke test`);
  await site.smokeTest(target.id);
  say("The smoke test passed.");
}

/** Returns the version to go back to. Throws why there is none. */
export function findTarget(
  to: string | null,
  versions: Version[],
  deployed: DeployedSplit,
  deployments: DeployedSplit[],
): Version {
  const isHalfway = deployed.versions.length > 1;
  const current = deployed.versions[0]?.version_id;
  const whole = deployments.flatMap((one) => (one.versions.length === 1 ? (one.versions[0]?.version_id ?? []) : []));
  const before = to ?? whole.find((id) => isHalfway || id !== current);
  if (before === undefined) throw new CommandError("No version was deployed before this one.");
  const target = versions.find(({ id }) => id === before);
  if (!target)
    throw new CommandError(`${before} isn't among the last 10 versions, which are all that can be deployed again.`);
  // Of a split, both have the same: a version with changed classes is deployed at once.
  const currentTag = objectsTagOf(current, versions);
  const targetTag = objectsTagOf(target.id, versions);
  if (targetTag === null || targetTag !== currentTag) {
    throw new CommandError(
      `${before} has Durable Object classes ${targetTag ?? "unknown"}, the objects have ${currentTag ?? "unknown"}: the platform can't take that back. Repair the code and release it.`,
    );
  }
  return target;
}

function describeVersion({ id, metadata, annotations }: Version, deployed: DeployedSplit): string {
  const share = deployed.versions.find(({ version_id }) => version_id === id)?.percentage;
  const mark = share === undefined ? "" : ` (at ${share} %)`;
  return `  ${id}  ${metadata.created_on}  ${annotations?.["workers/message"] ?? ""}${mark}`;
}

/** Returns how to take back the databases by hand, which loses what was written since. */
function describeTimeTravel({ root, environment, databases }: Rollback, target: Version): string[] {
  const next = releaseAfter(readRecords(root, environment), target);
  const commands = databases.map((name) => {
    const bookmark = next?.bookmarks[name];
    const to = bookmark ? `--bookmark=${bookmark}` : `--timestamp=${target.metadata.created_on}`;
    return `  npx wrangler d1 time-travel restore ${name} ${to} -c build/wrangler.${environment}.json`;
  });
  return [
    `Only if data is broken: these take the databases back to ${next ? `before the release of ${next.at}` : target.metadata.created_on}.`,
    "Every order, payment and message since then is lost, and Durable Objects still have theirs. Both or none:",
    ...commands,
  ];
}

/** Returns the release that replaced that version: its bookmarks are the last state that only the version had written. */
function releaseAfter(records: ReleaseRecord[], target: Version): ReleaseRecord | undefined {
  const index = records.findLastIndex(({ version }) => version === target.id);
  return index < 0 ? undefined : records.slice(index + 1).find(({ version }) => version !== target.id);
}
