import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { services, settings } from "#app/db/schema.server.ts";
import { saveSetting } from "#app/settings/settings-store.server.ts";
import type { SettingName } from "#app/settings/site-settings.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import worker from "#workers/app.ts";

const SITE = "https://growline.example";
/** An isolate then reads the settings again before it answers. */
const MUCH_LATER_MS = 60 * 60_000;

afterEach(async () => {
  vi.useRealTimers();
  await db.delete(settings);
});

test("shows the operator's refund policy and links to the terms on the landing page, as text", async () => {
  const plain = await page("/");
  expect(plain).toContain("Refunds and refills");
  expect(plain).not.toContain("Terms of service");
  await save("refund_policy", ["Write to us within 14 days.", "<b>Unused</b> balance is paid out."]);
  await save("terms_url", "https://terms.example/en");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + MUCH_LATER_MS });
  const landing = await page("/");
  expect(landing).toContain(">Write to us within 14 days.</p>");
  expect(landing).toContain("&lt;b&gt;Unused&lt;/b&gt; balance is paid out.</p>");
  expect(landing).toMatch(/<a href="https:\/\/terms\.example\/en"[^>]*>Terms of service<\/a>/);
});

test("names the deadline of a refill where it says how to claim one", async () => {
  expect(await page("/")).toContain("the order&#x27;s page shows the deadline");
  const id = await service({ name: "Refilled", refill: true, refillDays: 30 });
  expect(await page(`/services/${id}-refilled`)).toContain("Within 30 days of the order&#x27;s end");
  await db.update(services).set({ refillDays: null }).where(eq(services.id, id));
  const open = await page(`/services/${id}-refilled`);
  expect(open).toContain("How to claim a refill");
  expect(open).not.toContain("deadline");
});

async function save(name: SettingName, value: unknown): Promise<void> {
  const { userId } = await storedSignIn("admin");
  expect(await saveSetting(db, env, { userId, name: "Al" }, { name, value, version: 0 })).toMatchObject({ ok: true });
}

/** Returns the page without the data that is sent with it. */
async function page(path: string): Promise<string> {
  const context = createExecutionContext();
  const request = new Request(SITE + path) as Parameters<typeof worker.fetch>[0];
  const response = await worker.fetch(request, env, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  expect(response.status).toBe(200);
  return text.split("</main>")[0] ?? "";
}
