import { createExecutionContext, createScheduledController, SELF, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { emails, orders, wallets } from "#app/db/schema.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import worker from "./app.ts";
import { EVERY_MINUTE, NIGHTLY } from "./cron-triggers.ts";

test("renders the landing page", async () => {
  const response = await SELF.fetch("https://growline.example/");
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("Growline");
});

test("renders a page for a visitor who has left like for any other, so that nobody is alerted", async () => {
  for (const path of ["/", "/auth/login", "/auth/login.data"]) {
    const request = new Request(`https://growline.example${path}`, { signal: AbortSignal.abort() });
    const response = await worker.fetch(request as Parameters<typeof worker.fetch>[0], env, createExecutionContext());
    expect(response.status, path).toBe(200);
    await response.text();
  }
});

const JOBS: [cron: string, failing: string, query: string][] = [
  [EVERY_MINUTE, "resume account deletions", "account_deletions"],
  [NIGHTLY, "remove ended sessions", "auth_sessions"],
];

for (const [cron, failing, query] of JOBS) {
  test(`runs the other jobs of "${cron}" when "${failing}" fails`, async () => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    const { userId } = await customerWith(1_000_000);
    await db.update(wallets).set({ lowBalanceThreshold: 2_000_000 }).where(eq(wallets.userId, userId));
    const old = { id: userId, recipient: "old@test.example", kind: "alert" as const, expiresAt: 1, createdAt: 1 };
    await db.insert(emails).values({ ...old, status: "sent" });
    const isDone = async () => {
      const [wallet] = await db.select().from(wallets).where(eq(wallets.userId, userId));
      const kept = await db.$count(emails, eq(emails.id, userId));
      return cron === NIGHTLY ? kept === 0 : wallet?.lowBalanceNotified;
    };
    const broken = { ...env, DB: failingQueriesOf(query) };
    const run = worker.scheduled(createScheduledController({ cron }), broken);
    await expect(run).rejects.toThrow(`scheduled jobs failed: ${failing}`);
    expect(await isDone()).toBe(true);
    expect(errors).toHaveBeenCalledWith(expect.stringContaining(failing));
    errors.mockRestore();
  });
}

test("throws for a cron without jobs", async () => {
  const run = worker.scheduled(createScheduledController({ cron: "0 0 * * *" }), env);
  await expect(run).rejects.toThrow("no jobs for the cron 0 0 * * *");
});

const PAGES_AFTER: [what: string, quantity: string, orders: number][] = [
  ["a placed order", "1000", 1],
  ["a refused order", "1", 0],
];

for (const [what, quantity, placed] of PAGES_AFTER) {
  test(`responds with 500 where the page after ${what} fails, and doesn't say that nothing was done`, async () => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    const { cookie, userId } = await signedIn();
    await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
    const fields = {
      intent: "order",
      idempotencyKey: crypto.randomUUID(),
      service: String(await service()),
      shownPrice: "900000 per 1000",
      link: "https://instagram.com/p/after-the-order",
      quantity,
    };
    const post = new Request("https://growline.example/dashboard", {
      method: "POST",
      headers: { ...SAME_SITE, Cookie: cookie },
      body: new URLSearchParams(fields),
    });
    const context = createExecutionContext();
    const received = post as Parameters<typeof worker.fetch>[0];
    const response = await worker.fetch(received, { ...env, DB: failingQueriesOf("favorites") }, context);
    const page = await response.text();
    await waitOnExecutionContext(context);
    errors.mockRestore();

    const stored = await db.select({ status: orders.status }).from(orders).where(eq(orders.userId, userId));
    expect(stored).toHaveLength(placed);
    expect(response.status).toBe(500);
    expect(page).toContain("Something went wrong on our side");
    expect(page).not.toContain("completed.");
  });
}

/** Returns the database, except that every query that names `table` throws. */
function failingQueriesOf(table: string): D1Database {
  return new Proxy(env.DB, {
    get(database, name) {
      if (name === "withSession") return () => failingQueriesOf(table);
      if (name !== "prepare") {
        const value: unknown = Reflect.get(database, name);
        return typeof value === "function" ? value.bind(database) : value;
      }
      return (query: string) => {
        if (query.includes(table)) throw new Error("query refused");
        return database.prepare(query);
      };
    },
  });
}

test("forbids frames around every response, of the worker and of assets", async () => {
  const paths = ["/", "/api/services", "/catalog.json", "/robots.txt", "/no-such-page"];
  const answered = await Promise.all(paths.map((path) => SELF.fetch(`https://growline.example${path}`)));
  for (const response of [...answered, await env.ASSETS.fetch("https://growline.example/og.png")]) {
    expect(response.headers.get("Content-Security-Policy"), response.url).toContain("frame-ancestors 'none'");
    expect(response.headers.get("X-Content-Type-Options"), response.url).toBe("nosniff");
    await response.body?.cancel();
  }
});
