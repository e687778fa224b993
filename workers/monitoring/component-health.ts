import { isOutgoingHeld } from "#app/backup/restore/outgoing-hold.server.ts";
import { boundedDatabase } from "#app/db/bounded-database.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { CHECKS, type CheckName, type ComponentState } from "#app/db/schema.server.ts";
import { hasSentSince, selectEmailTrouble } from "#app/email/email-admin.server.ts";
import { logError } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import {
  type ComponentFigures,
  type ComponentStates,
  componentStates,
} from "#app/monitoring/health/component-states.ts";
import {
  CHECK_LIMIT_MS,
  type CheckResults,
  type Checks,
  KeptResults,
  runChecks,
} from "#app/monitoring/health/health-checks.ts";
import {
  type ComponentChange,
  readComponentChanges,
  readLatest,
  type StatusRecorder,
} from "#app/monitoring/health/status-changes.server.ts";
import { readRequestHours } from "#app/monitoring/requests/request-hours.server.ts";
import { providerAvailability, readProviderAvailability } from "#app/orders/providers/provider-availability.server.ts";
import type { ProviderFunds } from "#app/orders/providers/provider-balance.server.ts";

/** Composes the checks of /readyz, of the status page and of the job that records states. */
function checksOf(env: Env): Checks {
  return {
    database: () => select1(boundedDatabase(env.DB)),
    support_database: () => select1(boundedDatabase(env.DB_SUPPORT)),
    files: async () => {
      // A file that isn't there is an answer.
      await env.UPLOADS.head("readyz");
      return null;
    },
    dispatchers: async () => {
      await env.EMAIL_DISPATCHER.getByName("emails").answer();
      return null;
    },
    mail: () => judgeMail(env),
  };
}

async function select1(database: D1Database): Promise<null> {
  await database.prepare("select 1").run();
  return null;
}

/** So many stuck emails are an outage. Fewer may be unreadable, or have recipients whose server is away. */
const STUCK_EMAILS = 3;

async function judgeMail(env: Env): Promise<string | null> {
  if (!env.EMAIL_FROM || !(env.EMAIL_API_URL || env.EMAIL)) return "Not set up";
  const db = connect(env.DB);
  const [stuck] = await selectEmailTrouble(db, Date.now()).stuck;
  if (!stuck?.count) return null;
  // Not since the oldest: one that waits for days would hide an outage that begins today.
  const isExplained = stuck.count < STUCK_EMAILS && (stuck.newest === null || (await hasSentSince(db, stuck.newest)));
  // In a restored copy they wait for the operator.
  return isExplained || (await isOutgoingHeld(env.DB)) ? null : "Emails are waiting to be sent";
}

/** The health of the product, as one isolate last saw it. */
export class ComponentHealth {
  readonly #checks = new KeptResults<CheckResults>();
  readonly #states = new KeptResults<ComponentStates>();
  readonly #held = new KeptResults<boolean>();
  readonly #changes = new KeptResults<ComponentChange[]>();

  checks(env: Env): Promise<CheckResults> {
    return this.#checks.read(() => runChecks(checksOf(env)));
  }

  states(env: Env): Promise<ComponentStates> {
    return this.#states.read(async () => readStates(env, await this.checks(env)));
  }

  /** Returns whether this is a restored copy that sends nothing yet. False if the database doesn't answer. */
  isHeld(env: Env): Promise<boolean> {
    const read = () => isOutgoingHeld(env.DB).catch(() => false);
    return this.#held.read(async () => (await within(CHECK_LIMIT_MS, read())) ?? false);
  }

  changes(db: Db): Promise<ComponentChange[]> {
    return this.#changes.read(() => readComponentChanges(db));
  }
}

/**
 * Records what changed since the last minute. A failed check runs again first: one lost packet is no outage. `providers`: if
 * the minute has read them.
 */
export async function recordStates(
  db: Db,
  env: Env,
  recorder: StatusRecorder,
  providers: ProviderFunds[] | null = null,
): Promise<void> {
  const first = await runChecks(checksOf(env));
  const isFine = Object.values(first).every(({ ok }) => ok);
  const checks = isFine ? first : await runChecks(checksOf(env));
  const states = await readStates(env, checks, providers);
  await recorder.record(db, { ...states, ...checkStates(checks) }, Date.now());
}

function checkStates(checks: CheckResults): Record<CheckName, ComponentState> {
  const states = CHECKS.map((name) => [name, checks[name].ok ? "operational" : "down"]);
  return Object.fromEntries(states) as Record<CheckName, ComponentState>;
}

async function readStates(
  env: Env,
  checks: CheckResults,
  providers: ProviderFunds[] | null = null,
): Promise<ComponentStates> {
  const figures = checks.database.ok ? await within(CHECK_LIMIT_MS, readFigures(connect(env.DB), providers)) : null;
  return componentStates(checks, figures, figures ? undefined : await knownProviderState(connect(env.DB)));
}

async function readFigures(db: Db, known: ProviderFunds[] | null): Promise<ComponentFigures> {
  try {
    const now = Date.now();
    const [providers, requests] = await Promise.all([
      known ? providerAvailability(known) : readProviderAvailability(db),
      readRequestHours(db, now, now + 1),
    ]);
    return { providers, requests };
  } catch (error) {
    logError("figures of the status page not read", error);
    return null;
  }
}

async function knownProviderState(db: Db) {
  try {
    return (await within(CHECK_LIMIT_MS, readLatest(db)))?.get("providers");
  } catch {
    return undefined;
  }
}
