import { connect } from "#app/db/db.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import app from "#workers/app.ts";
import { CustomerAccount, type ReadModel, ReadModelFeeder } from "./customer-account.ts";

export * from "#workers/app.ts";

const FEEDERS = 4;
const CHARGE = 900_000;
const LINK = "https://www.instagram.com/p/bench/";
const catalog = new CatalogCache();
/** One isolate runs all objects of a local copy, so they share this. */
const fed = { batches: 0, rowsWritten: 0, calls: 0 };

type Objects = DurableObjectNamespace<GmailDispatcher>;
type Feeders = DurableObjectNamespace<PushDispatcher>;

const objectsOf = (env: Env) => env.GMAIL_DISPATCHER as unknown as Objects;
const feedersOf = (env: Env) => env.PUSH_DISPATCHER as unknown as Feeders;

/** The customers' objects, under the name of a class that the bench doesn't need: its configuration is the product's. */
export class GmailDispatcher extends CustomerAccount {
  protected override readModel(customer: string): ReadModel {
    const number = [...customer].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    const feeder = feedersOf(this.env).getByName(`feeder ${number % FEEDERS}`);
    return {
      add: async (rows) => {
        fed.calls++;
        await feeder.add(rows);
        // As if every tenth object were stopped before it learned of it: its outbox sends the rows again.
        if (fed.calls % 10 === 0) throw new Error("stopped after D1 had the rows");
      },
    };
  }
}

export class PushDispatcher extends ReadModelFeeder {
  protected override wrote(rows: number): void {
    fed.batches++;
    fed.rowsWritten += rows;
  }
}

/** Places orders of a customer, in one D1 batch as the product does, or in the customer's object. */
export default {
  ...app,
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    const customer = searchParams.get("customer") ?? "";
    const key = crypto.randomUUID();
    switch (pathname) {
      case "/bench/place-in-d1": {
        const fields = { link: LINK, quantity: "1000" };
        const placed = await placeOrder(
          connect(env.DB),
          customer,
          { serviceId: 1, fields, idempotencyKey: key, source: "api" },
          catalog,
        );
        return new Response(null, { status: placed.ok ? 201 : 402 });
      }
      case "/bench/place-in-object": {
        const feedAfterMs = Number(searchParams.get("feed-after"));
        const order = { key, digest: key, serviceId: 1, link: LINK, quantity: 1000, charge: CHARGE };
        const placed = await objectsOf(env).getByName(customer).place(order, feedAfterMs);
        return new Response(null, { status: placed.ok ? 201 : 402 });
      }
      case "/bench/open":
        await objectsOf(env)
          .getByName(customer)
          .open(customer, Number(searchParams.get("balance")));
        return new Response(null);
      case "/bench/totals":
        return Response.json(await objectsOf(env).getByName(customer).totals());
      case "/bench/fed":
        return Response.json(fed);
      default:
        return app.fetch(request, env, ctx);
    }
  },
} satisfies ExportedHandler<Env>;
