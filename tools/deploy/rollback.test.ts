import { existsSync, writeFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { release, type Site } from "./release.ts";
import { findTarget, rollBack, timeTravelPoint } from "./rollback.ts";
import type { DeployedSplit, Version } from "./wrangler-calls.ts";

/** Newest first, as listVersions returns them. */
const VERSIONS: Version[] = ["c", "b", "a"].map((id) => ({
  id,
  metadata: { created_on: `2026-01-0${"abc".indexOf(id) + 1}T00:00:00Z` },
  annotations: { "workers/message": `0.1.0 ${id}, objects v1` },
}));
const SECRET: Version = {
  id: "c-with-secret",
  metadata: { created_on: "2026-01-04T00:00:00Z" },
  annotations: { "workers/triggered_by": "secret" },
};

test("goes further back when it is called again, and never forward to what it left", () => {
  const deployments = [whole("a"), whole("b"), whole("c")];
  for (const expected of ["b", "a"]) {
    const target = findTarget(null, VERSIONS, deployments.at(-1) as DeployedSplit, deployments.toReversed());
    expect(target.id).toBe(expected);
    deployments.push(whole(target.id));
  }
  expect(() => findTarget(null, VERSIONS, whole("a"), deployments.toReversed())).toThrow(
    /^None of the last 10 deployments was an older version/,
  );
  expect(() => findTarget("a", VERSIONS, whole("a"), [])).toThrow("a already has every visitor.");
});

test("undoes a release that stopped halfway, and passes over versions that never had every visitor", () => {
  const halfway = split({ c: 10, b: 90 });
  expect(findTarget(null, VERSIONS, halfway, [halfway, whole("b"), whole("a")]).id).toBe("b");
  expect(findTarget(null, VERSIONS, whole("c"), [whole("c"), split({ b: 10, a: 90 }), whole("a")]).id).toBe("a");
});

test("takes a changed secret for the release that it was changed on", () => {
  const versions = [SECRET, ...VERSIONS];
  const deployments = [whole(SECRET.id), whole("c"), whole("b"), whole("a")];
  expect(findTarget(null, versions, whole(SECRET.id), deployments).id).toBe("b");
});

test("names the version to go back to, newer or older", () => {
  expect(findTarget("c", VERSIONS, whole("a"), [whole("a"), whole("c")]).id).toBe("c");
  expect(() => findTarget("z", VERSIONS, whole("a"), [])).toThrow("z isn't among the last 10 versions");
});

test("says which secrets would be the old ones again, and goes back with them only if that is meant", async () => {
  await expect(rollBackFrom("c", { withOldSecrets: false })).rejects.toThrow(
    /^ENCRYPTION_KEYS changed since b, which would bring back the old value\. .*--old-secrets/,
  );
  expect(await rollBackFrom("c", { withOldSecrets: true })).toEqual(["rollback b"]);
});

test("refuses to go back to a version on other databases, where what was restored since isn't", async () => {
  const back = rollBackFrom("c", { withOldSecrets: true, databases: { b: "lost", c: "restored" } });
  await expect(back).rejects.toThrow(/^b works on another DB .*ids into deployments\/staging\.json, and deploy/);
});

test("takes the databases back to when the older version was last replaced", () => {
  const [c, b] = VERSIONS as [Version, Version];
  const records = [record("03T00:00"), record("20T00:00"), record("20T00:10"), record("29T00:00")];
  // c replaced b, was rolled back, and replaced it again two weeks later.
  const deployments = [
    at("20T00:30", { c: 100 }),
    at("20T00:20", { c: 10, b: 90 }),
    at("05T00:00", { b: 100 }),
    at("03T00:30", { c: 100 }),
    at("02T00:00", { b: 100 }),
  ];
  expect(timeTravelPoint(b, VERSIONS, deployments, records)).toEqual(record("20T00:10"));
  // The bookmarks of a release from another machine are on that machine.
  expect(timeTravelPoint(b, VERSIONS, deployments, [record("01T12:00")])).toEqual({
    at: "2026-01-20T00:20:00Z",
    bookmarks: {},
  });
  expect(timeTravelPoint(b, VERSIONS, deployments.slice(0, 2), [])).toEqual({
    at: c.metadata.created_on,
    bookmarks: {},
  });
});

function at(time: string, shares: Record<string, number>): DeployedSplit {
  return { ...split(shares), created_on: `2026-01-${time}:00Z` };
}

function record(time: string) {
  return { at: `2026-01-${time}:00Z`, commit: time, bookmarks: { growline: `of ${time}` } };
}

test("leaves the visitors where a rollback moved them during a release", async () => {
  for (const step of [0, 10, 50]) {
    platform = { served: { b: 100 }, moves: [], afterMove: () => {} };
    const released = releaseC(async () => {
      // Somebody sees a fault that the smoke test doesn't.
      if ((platform.served.c ?? 0) === step) platform.served = { a: 100 };
    });
    await expect(released).rejects.toThrow(
      "somebody else moved the visitors. This release stopped there, and left the visitors where somebody else moved them: a at 100 %.",
    );
    expect(platform.served).toEqual({ a: 100 });
  }
});

test("doesn't undo another machine's release by going back", async () => {
  const released = releaseC(async () => {
    platform.served = { d: 100 };
    throw new Error("/readyz was answered by d, not by version c");
  });
  await expect(released).rejects.toThrow(
    /^At 0 %: \/readyz was answered by d, not by version c\. .*somebody else moved them: d at 100 %\.$/,
  );
  expect(platform.moves.at(-1)).toBe("versions deploy c@0% b@100%");
});

test("releases where the platform lists no version without visitors", async () => {
  platform.afterMove = () => {
    platform.served = Object.fromEntries(Object.entries(platform.served).filter(([, share]) => share > 0));
  };
  expect(await releaseC(async () => {})).toBe("c");
  expect(platform.served).toEqual({ c: 100 });
});

test("goes back after a step whose answer was lost", async () => {
  platform.afterMove = () => {
    if (platform.served.c === 50) throw new Error("fetch failed");
  };
  await expect(releaseC(async () => {})).rejects.toThrow("At 50 %: fetch failed. Everything is back on b.");
  expect(platform.served).toEqual({ b: 100 });
});

test("says that the release is live if only its routes and cron triggers failed", async () => {
  platform.afterMove = (move) => {
    if (move === "triggers deploy") throw new Error("fetch failed");
  };
  await expect(releaseC(async () => {})).rejects.toThrow(
    "Everybody is on c, but not its routes and cron triggers: fetch failed. Run it again.",
  );
  expect(platform.served).toEqual({ c: 100 });
});

test("keeps the secrets in a file only while they are sent", async () => {
  const seen: boolean[] = [];
  await releaseC(async () => void seen.push(existsSync(platform.secretsFile ?? "")), { EMAIL_API_KEY: "key" });
  expect(platform.secretsFile).toContain("secrets.json");
  expect(seen).toEqual([false, false, false, false]);
});

test("skips the steps where one visitor would get pages of both versions", async () => {
  await releaseC(
    async () => {},
    {},
    async () => false,
  );
  expect(platform.moves).toEqual([
    "versions deploy c@0% b@100%",
    "versions deploy c@10% b@90%",
    "versions deploy c@100%",
    "triggers deploy",
  ]);
});

/** The deployment of the platform. `afterMove` is called after a call of wrangler that moved visitors took effect. */
let platform: {
  served: Record<string, number>;
  moves: string[];
  afterMove: (move: string) => void;
  secretsFile?: string;
};
beforeEach(() => {
  platform = { served: { b: 100 }, moves: [], afterMove: () => {} };
});

/** Releases version c over b, in steps. */
function releaseC(
  smokeTest: Site["smokeTest"],
  secrets: Record<string, string> = {},
  keepsVisitorsOnOneVersion = async () => true,
): Promise<string> {
  return release({
    environment: "production",
    site: { smokeTest, keepsVisitorsOnOneVersion },
    plan: { kind: "in_steps", old: "b" },
    message: "0.2.0 c, objects v1",
    commit: "c",
    secrets,
    say: () => {},
    async wrangler(args, env = {}) {
      const call = args.join(" ").replace(/ --message .*/, "");
      if (call === "deployments status --json") return JSON.stringify(split(platform.served));
      if (call === "versions upload") {
        platform.secretsFile = args[args.indexOf("--secrets-file") + 1];
        const made = { type: "version-upload", version_id: "c" };
        writeFileSync(env.WRANGLER_OUTPUT_FILE_PATH ?? "", JSON.stringify(made));
        return "";
      }
      platform.moves.push(call);
      const splits = [...call.matchAll(/(\w+)@(\d+)%/g)].map(([, id, share]) => [id, Number(share)]);
      if (splits.length > 0) platform.served = Object.fromEntries(splits);
      if (call.startsWith("rollback ")) platform.served = { [call.split(" ")[1] ?? ""]: 100 };
      platform.afterMove(call);
      return "";
    },
  });
}

/** Returns the calls that moved the visitors. The platform refuses to go back over a changed secret unless it is forced. */
async function rollBackFrom(
  current: string,
  { withOldSecrets, databases = {} }: { withOldSecrets: boolean; databases?: Record<string, string> },
): Promise<string[]> {
  const calls: string[] = [];
  await rollBack({
    root: "/nowhere",
    environment: "staging",
    to: null,
    withOldSecrets,
    databases: [],
    site: { smokeTest: async () => {}, keepsVisitorsOnOneVersion: async () => true },
    say: () => {},
    confirm: async () => true,
    async wrangler(args) {
      const [first = "", second = ""] = args;
      if (first === "deployments" && second === "status") return JSON.stringify(whole(current));
      if (first === "deployments") return JSON.stringify([whole(current), whole("b"), whole("a")]);
      if (first === "versions" && second === "list") return JSON.stringify(VERSIONS);
      if (first === "versions" && second === "view") {
        const id = databases[args[2] ?? ""] ?? "same";
        return JSON.stringify({ resources: { bindings: [{ name: "DB", type: "d1", id }] } });
      }
      if (first === "versions") {
        const stderr = "✘ [ERROR] The following secrets have changed: ENCRYPTION_KEYS [code: 10220]";
        throw new Error("wrangler failed", { cause: { stderr } });
      }
      calls.push(`${first} ${second}`);
      return "";
    },
  });
  return calls;
}

function whole(id: string): DeployedSplit {
  return split({ [id]: 100 });
}

function split(shares: Record<string, number>): DeployedSplit {
  const versions = Object.entries(shares).map(([version_id, percentage]) => ({ version_id, percentage }));
  return { id: "d", created_on: "", versions };
}
