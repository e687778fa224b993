import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { wallets } from "#app/db/schema.server.ts";
import { addressDigest, liftSuppression, suppress } from "#app/email/suppressions.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { db } from "#tests/workerd/customer.ts";
import { type SignedInAccount, storedSignIn } from "#tests/workerd/signed-in-account.ts";

async function read({ cookie }: SignedInAccount, path: string): Promise<{ status: number; html: string }> {
  const response = await SELF.fetch(`${SITE}${path}`, { headers: { Cookie: cookie } });
  return { status: response.status, html: await response.text() };
}

test("shows a low balance on every page of a customer until the threshold is removed", async () => {
  const account = await storedSignIn();
  const store = (lowBalanceThreshold: number | null) =>
    db.update(wallets).set({ lowBalanceThreshold }).where(eq(wallets.userId, account.userId));
  await credit(db, account.userId, { kind: "topup", amount: 12 * MICRO, note: "test" });
  await store(12.5 * MICRO);
  for (const path of ["/dashboard", "/dashboard/orders", "/dashboard/api", "/upload", "/gmail-sync"]) {
    expect((await read(account, path)).html, path).toMatch(/Your balance is below .*12\.50/);
  }
  // A balance equal to the threshold is not low.
  for (const threshold of [12 * MICRO, null]) {
    await store(threshold);
    expect((await read(account, "/dashboard")).html, String(threshold)).not.toContain("Your balance is below");
  }
});

test("tells an account whose address is suppressed that we can't email it, until an admin allows it again", async () => {
  const [account, other] = [await storedSignIn(), await storedSignIn()];
  const admin = await storedSignIn("admin");
  const says = async (of: SignedInAccount) =>
    /We can(&#x27;|')t email you/.test((await read(of, "/dashboard/account")).html);
  expect(await says(account)).toBe(false);
  await suppress(db, { address: account.email, reason: "refused", detail: "HTTP 422", at: 1 });
  expect([await says(account), await says(other)]).toEqual([true, false]);
  expect((await read(admin, "/admin/emails?state=suppressed")).html).toContain(account.email);
  const seen = { digest: addressDigest(account.email), seenAt: 1 };
  const actor = { userId: admin.userId, name: "Al" };
  await liftSuppression(db, actor, seen, "Their provider fixed the mailbox");
  expect(await says(account)).toBe(false);
});

test("keeps the console's navigation where a page of it isn't there", async () => {
  const admin = await storedSignIn("admin");
  for (const path of ["/admin/services/99999999", "/admin/nowhere"]) {
    const { status, html } = await read(admin, path);
    expect(status, path).toBe(404);
    expect(html, path).toMatch(/<nav aria-label="Console".*Reports/s);
    expect(html, path).toMatch(/<h1[^>]*>Page not found/);
  }
});
