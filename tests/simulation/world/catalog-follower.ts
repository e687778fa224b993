import { isDeepStrictEqual } from "node:util";
import type { ProgramEvent } from "../scripts/plan-programs.ts";
import type { Handlers } from "./actor.ts";
import type { Customer, World } from "./open-world.ts";
import type { Site } from "./site.ts";

type Entry = { service: number } & Record<string, unknown>;
type Changes = {
  since: number;
  version: number;
  changes: { service: number; entry: Entry | null; after: number | null }[];
};
type KeptList = { version: number; entries: Entry[] };
/** A list that was brought up to date, and the whole one of the same version. */
export type FollowedCatalog = { since: number; version: number; kept: Entry[]; whole: Entry[] };
export type FollowerWorld = {
  followed: FollowedCatalog[];
  /** Responses that the docs know nothing of. */
  surprises: string[];
  handlers: Handlers<Extract<ProgramEvent, { kind: "follow_catalog" }>>;
};

type Surface = "list" | "panel";
const TRIES = 10;
/** They change with the orders, and with no version. */
const MEASURED = ["delivery_p50", "delivery_p90", "delivery_samples", "partial_rate", "cancel_rate"];

/** Programs that keep the list of services, each on from what it has, and never read it whole but to compare. */
export function openFollowers(site: Site, world: World): FollowerWorld {
  const followed: FollowedCatalog[] = [];
  const surprises: string[] = [];
  const keptBy = new Map<number, KeptList>();

  async function read(customer: Customer, by: Surface, since?: number): Promise<Response | null> {
    const key = customer.keys[0]?.value ?? "";
    const query: Record<string, string> = since === undefined ? {} : { since: String(since) };
    const { canary } = customer.person;
    const response =
      by === "list"
        ? site.fetch(
            `/api/services?${new URLSearchParams(query)}`,
            { headers: { Authorization: `Bearer ${key}` } },
            canary,
          )
        : site.fetch(
            "/api/v2",
            { method: "POST", body: new URLSearchParams({ key, action: "services", ...query }) },
            canary,
          );
    const answered = await response.catch(() => null);
    return answered?.ok || answered?.status === 410 ? answered : null;
  }

  async function readWhole(customer: Customer, by: Surface): Promise<KeptList | null> {
    const response = await read(customer, by);
    const body: unknown = await response?.json().catch(() => null);
    if (!response || !Array.isArray(body)) return null;
    return { version: Number(response.headers.get("Catalog-Version")), entries: body.map(withoutMeasured) };
  }

  async function readChanges(customer: Customer, by: Surface, since: number): Promise<Changes | null> {
    const response = await read(customer, by, since);
    const body = (await response?.json().catch(() => null)) as Changes | null;
    if (response?.status === 410) surprises.push(`version ${since} is too old: ${JSON.stringify(body)}`);
    return Array.isArray(body?.changes) ? body : null;
  }

  return {
    followed,
    surprises,
    handlers: {
      async follow_catalog({ customer: index, by }) {
        const customer = world.customers[index];
        for (let tries = 0; tries < TRIES && customer && !customer.hasLeft; tries++) {
          const kept = keptBy.get(index) ?? (await readWhole(customer, by));
          if (!kept) continue;
          keptBy.set(index, kept);
          const changes = await readChanges(customer, by, kept.version);
          if (!changes) continue;
          const entries = rebuild(kept.entries, changes);
          const { version } = changes;
          if (version < kept.version) surprises.push(`version ${version} after ${kept.version}`);
          keptBy.set(index, { version, entries });
          const whole = await readWhole(customer, by === "list" ? "panel" : "list");
          // The catalog changed meanwhile: next time.
          if (whole?.version !== version) continue;
          followed.push({ since: kept.version, version, kept: entries, whole: whole.entries });
          site.count(`catalog followed by ${by}${changes.changes.length > 0 ? " through changes" : ""}`);
          return;
        }
      },
    },
  };
}

/** "Remove each of these services from your list. Then insert those with an `entry`, in this order, each behind `after`." */
function rebuild(entries: Entry[], { changes }: Changes): Entry[] {
  const changed = new Set(changes.map(({ service }) => service));
  const list = entries.filter(({ service }) => !changed.has(service));
  for (const { entry, after } of changes) {
    if (!entry) continue;
    const before = after === null ? -1 : list.findIndex(({ service }) => service === after);
    // A service that is not there would put the entry in the wrong place.
    list.splice(after !== null && before === -1 ? list.length : before + 1, 0, withoutMeasured(entry));
  }
  return list;
}

function withoutMeasured(entry: Entry): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !MEASURED.includes(name))) as Entry;
}

/** Returns whether two lists are the same, in their order too. */
export function isSameList({ kept, whole }: FollowedCatalog): boolean {
  return isDeepStrictEqual(kept, whole) && JSON.stringify(kept) === JSON.stringify(whole);
}
