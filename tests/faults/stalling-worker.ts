import { connect } from "#app/db/db.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { type DatabaseFaults, faultyDatabase } from "#tests/simulation/product/faulty-database.ts";
import { seededRandom } from "./seeded-random.ts";

/** Wraps the product's worker for `npm run faults:database`: the databases stand still or fail when it is told so. */

/** Asks for a time of `ms` in which calls or answers are held, or calls fail. */
export type DatabaseFault = { kind: "calls" | "answers" | "outage"; ms: number };

type ObjectClass = new (ctx: DurableObjectState, env: Env) => object;
type Product = Required<Pick<ExportedHandler<Env>, "fetch" | "scheduled" | "email">>;

const faults: DatabaseFaults = { refuse: 0, lose: 0, slowMs: 0 };
const random = seededRandom(1);
let fault: (DatabaseFault & { until: number }) | null = null;

function faultyEnv(env: Env): Env {
  const on = (database: D1Database) => faultyDatabase(database, { faults, random, costs: new Map() });
  return { ...env, DB: on(env.DB), DB_SUPPORT: on(env.DB_SUPPORT) };
}

function begin(asked: DatabaseFault): void {
  const until = Date.now() + asked.ms;
  fault = { ...asked, until };
  faults.refuse = asked.kind === "outage" ? 1 : 0;
  delete faults.stall;
  if (asked.kind === "outage") return;
  faults.stall = { point: asked.kind, until: () => scheduler.wait(Math.max(0, until - Date.now())) };
}

/** Ends a fault whose time is over. */
function endDue(): void {
  if (fault === null || fault.until > Date.now()) return;
  fault = null;
  faults.refuse = 0;
  delete faults.stall;
}

export function stallingObject(Product: ObjectClass): ObjectClass {
  return class extends Product {
    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, faultyEnv(env));
    }
  };
}

export function stallingHandler(product: Product): Product {
  return {
    async fetch(request, env, ctx) {
      endDue();
      const { pathname } = new URL(request.url);
      switch (pathname) {
        case "/faults/begin":
          begin(await request.json());
          return new Response();
        case "/faults/ledger":
          return Response.json(await checkLedger(connect(env.DB)));
        case "/faults/query": {
          const { binding, sql } = (await request.json()) as { binding: "DB" | "DB_SUPPORT"; sql: string };
          return Response.json((await env[binding].prepare(sql).all()).results);
        }
        default:
          return product.fetch(request, faultyEnv(env), ctx);
      }
    },
    async scheduled(controller, env, ctx) {
      endDue();
      await product.scheduled(controller, faultyEnv(env), ctx);
    },
    email: (message, env, ctx) => product.email(message, faultyEnv(env), ctx),
  };
}
