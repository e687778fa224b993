import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import worker from "#workers/app.ts";

const stalled = stalls();

afterEach(async () => {
  vi.restoreAllMocks();
  await stalled.end();
});

test("shows the form of a balance again with its key when nobody knows whether it took effect, and credits once", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { cookie } = await signedIn("admin");
  const { userId } = await customerWith(MICRO);
  stalled.losingAnswers((statements) => statements.some((text) => text.startsWith('insert into "audit_log"')));
  const once = crypto.randomUUID();
  const send = async (form: Record<string, string>, bindings: Env) => {
    const request = new Request(`${SITE}/admin/customers/${userId}`, {
      method: "POST",
      headers: { ...SAME_SITE, Cookie: cookie },
      body: new URLSearchParams(form),
    });
    const response = await worker.fetch(
      request as Parameters<typeof worker.fetch>[0],
      bindings,
      createExecutionContext(),
    );
    return { status: response.status, html: await response.text(), headers: response.headers };
  };
  const form = { intent: "adjust", direction: "credit", amount: "2", reason: "Goodwill" };
  const shown = await send({ ...form, once }, stalled.in(env));
  expect(stalled.calls).toBe(1);
  expect(shown.status).toBe(503);
  expect(shown.headers.get("Retry-After")).toBe("10");
  expect(shown.html).toContain("it is adjusted once");
  expect(shown.html).toContain(`value="${once}"`);
  expect(shown.html).toContain('value="Goodwill"');
  const again = await send({ ...form, once }, env);
  expect(again.status).toBe(409);
  expect(again.html).toContain("already submitted");
  expect(again.html).not.toContain(`value="${once}"`);
  expect(await readBalance(db, userId)).toBe(3 * MICRO);
});
