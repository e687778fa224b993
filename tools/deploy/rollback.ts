import { ownValue } from "#app/own-value.ts";
import { CommandError } from "#tools/run/command-line.ts";
import { choicesFile, type Environment } from "./choices.ts";
import { objectsTagOf, otherDatabases, releaseOf } from "./preflight.ts";
import type { Site } from "./release.ts";
import { type ReleaseRecord, readRecords } from "./release-records.ts";
import {
  changedSecretsIn,
  type DeployedSplit,
  listDeployments,
  listVersions,
  outputOf,
  readBindings,
  readDeployed,
  splitTraffic,
  takeBack,
  type Version,
  type Wrangler,
} from "./wrangler-calls.ts";

export type Rollback = {
  root: string;
  environment: Environment;
  wrangler: Wrangler;
  /** The version to go back to, or null for the one before. */
  to: string | null;
  /** Goes back even if a secret changed since, which brings back its old value. */
  withOldSecrets: boolean;
  databases: string[];
  site: Site;
  say: (line: string) => void;
  /** Asks before the traffic moves. */
  confirm: (question: string) => Promise<boolean>;
};

const LIMITS = [
  "Undone: the code, its variables and static files, back to one of the last 10 versions. A version has its own secrets:",
  "if one changed since, this asks for --old-secrets.",
  "Not undone: what is in D1, Durable Objects and R2; changes of Durable Object classes; migrations; routes and cron",
  "triggers. The database keeps its newer schema, which the version before it can run on.",
];

/** Says what can be undone, moves everybody to the older version and tests it. */
export async function rollBack(rollback: Rollback): Promise<void> {
  const { wrangler, site, say, environment } = rollback;
  const deployed = await readDeployed(wrangler);
  if (!deployed) throw new CommandError(`Nothing is deployed as ${environment}.`);
  const versions = await listVersions(wrangler);
  const deployments = await listDeployments(wrangler);
  // Before the refusals, one of which asks to name a version.
  for (const version of versions) say(describeVersion(version, deployed));
  const target = findTarget(rollback.to, versions, deployed, deployments);
  await refuseOtherDatabases(rollback, deployed, target);
  for (const line of LIMITS) say(line);
  const records = readRecords(rollback.root, environment);
  for (const line of describeTimeTravel(rollback, timeTravelPoint(target, versions, deployments, records))) say(line);
  if (!(await rollback.confirm(`Move everybody to ${target.id}?`))) return say("Nothing was changed.");
  await moveEverybody(rollback, target);
  say(`Everybody is on ${target.id}, smoke test`);
  await site.smokeTest(target.id).catch((error: Error) => {
    throw new CommandError(`Everybody is on ${target.id}, where the smoke test fails: ${error.message}`);
  });
  say("The smoke test passed.");
}

/** A version from before a restore is bound to the lost databases. */
async function refuseOtherDatabases(
  { wrangler, environment }: Rollback,
  deployed: DeployedSplit,
  { id }: Version,
): Promise<void> {
  const current = deployed.versions[0]?.version_id ?? id;
  const other = otherDatabases(await readBindings(wrangler, current), await readBindings(wrangler, id));
  if (other.length === 0) return;
  throw new CommandError(
    `${id} works on another ${other.join(" and ")} than everybody does. If you mean it: put the old ids into ${choicesFile(environment)}, and deploy that version's commit.`,
  );
}

async function moveEverybody({ wrangler, environment, withOldSecrets }: Rollback, { id }: Version): Promise<void> {
  if (withOldSecrets) return takeBack(wrangler, id, `Rolled back to ${id}`);
  try {
    await splitTraffic(wrangler, [{ version_id: id, percentage: 100 }], `Rolled back to ${id}`);
  } catch (error) {
    const secrets = changedSecretsIn(outputOf(error));
    if (secrets === null) throw error;
    throw new CommandError(
      `${secrets} changed since ${id}, which would bring back the old value. Deploy that version's commit instead, or if you mean it: npm run rollback -- ${environment} ${id} --old-secrets`,
    );
  }
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
  const older = versions.slice(1 + versions.indexOf(releaseOf(current, versions) as Version)).map(({ id }) => id);
  // Only deployments before the current one count: a version that an earlier rollback left was deployed later, too.
  const before = to ?? whole.find((id) => isHalfway || older.includes(id));
  if (before === undefined)
    throw new CommandError(
      "None of the last 10 deployments was an older version for everybody. If there is an older one above, name it.",
    );
  if (before === current && !isHalfway) throw new CommandError(`${before} already has every visitor.`);
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
function describeTimeTravel({ environment, databases }: Rollback, { at, bookmarks }: TimeTravelPoint): string[] {
  const commands = databases.map((name) => {
    const bookmark = ownValue(bookmarks, name);
    const to = bookmark ? `--bookmark=${bookmark}` : `--timestamp=${at}`;
    return `  npx wrangler d1 time-travel restore ${name} ${to} -c build/wrangler.${environment}.json`;
  });
  return [
    `Only if data is broken: these take the databases back to ${at}, before the next release began.`,
    "Every order, payment and message since then is lost, and Durable Objects still have theirs. Both or none:",
    ...commands,
  ];
}

type TimeTravelPoint = { at: string; bookmarks: Record<string, string> };

/**
 * Returns the last moment before another version than the target had written. `versions`, `deployments`: newest first.
 * Going back is a deployment, too: what the target wrote after an earlier rollback to it isn't lost.
 */
export function timeTravelPoint(
  target: Version,
  versions: Version[],
  deployments: DeployedSplit[],
  records: ReleaseRecord[],
): TimeTravelPoint {
  const index = deployments.findIndex((one) => one.versions.length === 1 && one.versions[0]?.version_id === target.id);
  const from = deployments[index]?.created_on ?? target.metadata.created_on;
  // If the version isn't among the last ten deployments: the next version was made when it was replaced, or later.
  const newer = versions.toReversed().find(({ metadata }) => metadata.created_on > target.metadata.created_on);
  const until = deployments[index - 1]?.created_on ?? newer?.metadata.created_on ?? from;
  const isBetween = ({ at }: ReleaseRecord) => at > from && at <= until;
  return records.findLast(isBetween) ?? { at: until, bookmarks: {} };
}
