import { seededRandom } from "#tests/faults/seeded-random.ts";
import { type SimulatedDatabase, simulatedDatabase } from "../../product/simulated-database.ts";
import { type DatabaseFaults, faultyDatabase, type Stall, type StatementCosts } from "./faulty-database.ts";
import { atSimulatedClock, followClockUntil, machineTime, setClockOffset } from "./simulated-time.ts";

/**
 * Wraps a product's worker for the simulation: it reads the world's clock, its alarms ring by that clock, D1 fails as
 * the world asks, and `/simulation/*` lets the world move time and look inside. Works with any commit of the product.
 */

/** The offset in ms, as the world's server says; a worker that starts again after a kill asks for it. */
type SimulationEnv = {
  SIMULATION_CLOCK: string;
  SIMULATED_DATABASE: DurableObjectNamespace<SimulatedDatabase>;
} & Record<string, unknown>;
type ProductHandler = Required<Pick<ExportedHandler<SimulationEnv>, "fetch" | "scheduled">>;
type ObjectClass = new (ctx: DurableObjectState, env: SimulationEnv) => DurableObject;
type DurableObject = { alarm?(info?: AlarmInvocationInfo): Promise<void> };
/** An alarm by its object: when it rings, in simulated ms. */
type Alarm = { namespace: string; id: string; at: number };

/** How long a call that never ends, or a cron run, may hold the clock, in real ms. */
const IDLE_WITHIN_MS = 20_000;
const CRON_WITHIN_MS = 60_000;
const MAX_POLL_MS = 8;
const STALL_POLL_MS = 10;
const ALARM_KEY = "simulation: alarm at";
const alarms = new Map<string, Alarm>();
const random = seededRandom(1);
const faults: DatabaseFaults = { refuse: 0, lose: 0, slowMs: 0 };
const costs: StatementCosts = new Map();
let isClockLoaded = false;
/** Requests, alarms, cron runs and background work that have started and not ended. */
let active = 0;

async function loadClock(env: SimulationEnv): Promise<void> {
  if (isClockLoaded) return;
  setClockOffset(Number(await (await fetch(env.SIMULATION_CLOCK)).text()));
  isClockLoaded = true;
}

async function counted<T>(work: () => Promise<T> | T): Promise<T> {
  active++;
  try {
    return await work();
  } finally {
    active--;
  }
}

function databaseOf(env: SimulationEnv, name: string): D1Database {
  return simulatedDatabase(env[name] as D1Database, env.SIMULATED_DATABASE, name);
}

const withFaults = new WeakMap<SimulationEnv, SimulationEnv>();

function faultyEnv(env: SimulationEnv): SimulationEnv {
  let faulty = withFaults.get(env);
  if (!faulty) {
    faulty = { ...env };
    for (const name of Object.keys(env)) {
      if (!name.startsWith("DB")) continue;
      faulty[name] = faultyDatabase(databaseOf(env, name), { faults, random, costs, atClock: atSimulatedClock });
    }
    withFaults.set(env, faulty);
  }
  return faulty;
}

/** Wraps a Durable Object class. `namespace` is its binding. */
export function simulateObject(namespace: string, Product: ObjectClass): ObjectClass {
  return class extends Product {
    readonly #ring: () => Promise<void>;

    constructor(ctx: DurableObjectState, env: SimulationEnv) {
      const id = ctx.id.toString();
      const setAlarm = ctx.storage.setAlarm.bind(ctx.storage);
      const ring = () => setAlarm(machineTime(Date.now()));
      simulateAlarms(ctx.storage, { namespace, id });
      super(ctx, faultyEnv(env));
      this.#ring = ring;
    }

    /** Rings the alarm now, although the machine's clock has not reached it. */
    simulationRing(): Promise<void> {
      return this.#ring();
    }

    override async alarm(info?: AlarmInvocationInfo): Promise<void> {
      await counted(async () => {
        const { env, ctx } = this as unknown as { env: SimulationEnv; ctx: DurableObjectState };
        await loadClock(env);
        alarms.delete(`${namespace}/${ctx.id}`);
        ctx.storage.kv.delete(ALARM_KEY);
        await super.alarm?.(info);
      });
    }
  } as unknown as ObjectClass;
}

/** Lets alarms ring by the simulated clock. Each is stored, so that the world finds it again after a kill. */
function simulateAlarms(storage: DurableObjectStorage, { namespace, id }: Omit<Alarm, "at">): void {
  const key = `${namespace}/${id}`;
  const setAlarm = storage.setAlarm.bind(storage);
  const deleteAlarm = storage.deleteAlarm.bind(storage);
  const known = storage.kv.get<number>(ALARM_KEY);
  if (known !== undefined) alarms.set(key, { namespace, id, at: known });
  const overrides = {
    async setAlarm(time: number | Date) {
      const at = Number(time);
      alarms.set(key, { namespace, id, at });
      storage.kv.put(ALARM_KEY, at);
      await setAlarm(machineTime(at));
    },
    async getAlarm() {
      return alarms.get(key)?.at ?? null;
    },
    async deleteAlarm() {
      alarms.delete(key);
      storage.kv.delete(ALARM_KEY);
      await deleteAlarm();
    },
  };
  for (const [name, value] of Object.entries(overrides)) Object.defineProperty(storage, name, { value });
}

export function simulateHandler(product: ProductHandler): ProductHandler {
  return {
    async fetch(request, env, ctx) {
      await loadClock(env);
      const { pathname } = new URL(request.url);
      if (pathname === "/simulation/step") return step(product, request, env, ctx);
      if (pathname.startsWith("/simulation/")) return control(pathname, request, env);
      return counted(() => product.fetch(request, faultyEnv(env), countedContext(ctx)));
    },
    async scheduled(controller, env, ctx) {
      await loadClock(env);
      await counted(() => product.scheduled(controller, faultyEnv(env), countedContext(ctx)));
    },
  };
}

function countedContext(ctx: ExecutionContext): ExecutionContext {
  const waitUntil = (work: Promise<unknown>) => {
    const tracked = counted(() => work);
    tracked.catch(() => undefined);
    ctx.waitUntil(work);
  };
  return { waitUntil, passThroughOnException: () => undefined } as unknown as ExecutionContext;
}

async function control(pathname: string, request: Request, env: SimulationEnv): Promise<Response> {
  switch (pathname) {
    case "/simulation/clock":
      await moveClock(env, Number(await request.text()));
      return state();
    case "/simulation/state":
      return state();
    case "/simulation/idle":
      return untilIdle(env);
    case "/simulation/objects": {
      // Constructing an object reads its alarm.
      const objects = (await request.json()) as { namespace: string; name: string }[];
      for (const { namespace, name } of objects) {
        const binding = env[namespace] as DurableObjectNamespace;
        await (binding.getByName(name) as unknown as { simulationRing(): Promise<void> }).simulationRing();
      }
      return state();
    }
    case "/simulation/database-faults":
      Object.assign(faults, await request.json());
      return state();
    case "/simulation/stall": {
      const { point, ms } = (await request.json()) as { point: Stall["point"]; ms: number };
      stallDatabases(point, Date.now() + ms);
      return state();
    }
    case "/simulation/costs":
      return Response.json([...costs]);
    case "/simulation/files": {
      const word = await request.text();
      return Response.json(await filesWith(env, word));
    }
    case "/simulation/batch": {
      const { binding, statements } = (await request.json()) as { binding: string; statements: string[] };
      const database = databaseOf(env, binding);
      await database.batch(statements.map((statement) => database.prepare(statement)));
      return Response.json(null);
    }
    case "/simulation/query": {
      const { binding, sql, values } = (await request.json()) as { binding: string; sql: string; values: unknown[] };
      const database = databaseOf(env, binding);
      return Response.json(
        (
          await database
            .prepare(sql)
            .bind(...values)
            .all()
        ).results,
      );
    }
    default:
      return new Response(null, { status: 404 });
  }
}

/** Lets all databases stand still until a simulated time. */
function stallDatabases(point: Stall["point"], end: number): void {
  const stall: Stall = {
    point,
    async until() {
      while (Date.now() < end) await scheduler.wait(STALL_POLL_MS);
      if (faults.stall === stall) delete faults.stall;
    },
  };
  faults.stall = stall;
  followClockUntil(end);
}

/** Returns the keys of stored files in which a word stands. */
async function filesWith(env: SimulationEnv, word: string): Promise<string[]> {
  const keys: string[] = [];
  for (const bucket of Object.values(env).filter(isBucket)) {
    for (let cursor: string | undefined, isMore = true; isMore; ) {
      const page: R2Objects = await bucket.list({ ...(cursor !== undefined && { cursor }) });
      for (const { key } of page.objects) {
        const text = await (await bucket.get(key))?.text();
        if (key.includes(word) || text?.includes(word)) keys.push(key);
      }
      isMore = page.truncated;
      if (page.truncated) cursor = page.cursor;
    }
  }
  return keys;
}

function isBucket(binding: unknown): binding is R2Bucket {
  // A binding of another kind has every method, to call it there.
  return (binding as object | null)?.constructor?.name === "R2Bucket";
}

async function ring(env: SimulationEnv, { namespace, id }: Alarm): Promise<void> {
  const binding = env[namespace] as DurableObjectNamespace;
  const object = binding.get(binding.idFromString(id)) as unknown as { simulationRing(): Promise<void> };
  await object.simulationRing();
}

async function moveClock(env: SimulationEnv, offset: number): Promise<void> {
  setClockOffset(offset);
  await Promise.all(dueAlarms().map((alarm) => ring(env, alarm)));
}

/** Moves the clock, runs the cron triggers that are due then, one after the other, and waits for all that comes of it. */
async function step(
  product: ProductHandler,
  request: Request,
  env: SimulationEnv,
  ctx: ExecutionContext,
): Promise<Response> {
  const { offset, crons } = (await request.json()) as { offset: number; crons: string[] };
  await moveClock(env, offset);
  for (const cron of crons) {
    const controller = { cron, scheduledTime: Date.now(), noRetry: () => undefined } as ScheduledController;
    const run = counted(() => product.scheduled(controller, faultyEnv(env), countedContext(ctx)));
    await Promise.race([run.catch(() => undefined), scheduler.wait(CRON_WITHIN_MS)]);
  }
  return untilIdle(env);
}

/** Waits until nothing is under way and no alarm is due, or for so long in real time as a call may take. */
async function untilIdle(env: SimulationEnv): Promise<Response> {
  const until = Date.now() + IDLE_WITHIN_MS;
  for (let wait = 1; Date.now() < until; wait = Math.min(wait * 2, MAX_POLL_MS)) {
    if (active === 0) {
      const due = dueAlarms();
      if (due.length === 0) break;
      // One of an object that began after the clock was moved.
      await Promise.all(due.map((alarm) => ring(env, alarm)));
    }
    await scheduler.wait(wait);
  }
  return state();
}

function dueAlarms(): Alarm[] {
  const now = Date.now();
  return [...alarms.values()].filter(({ at }) => at <= now);
}

function state(): Response {
  const now = Date.now();
  const times = [...alarms.values()].map(({ at }) => at);
  const due = times.filter((at) => at <= now).length;
  return Response.json({ now, active, due, next: times.length === 0 ? null : Math.min(...times) });
}
