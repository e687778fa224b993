import { SELF } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { MICRO } from "#app/product.ts";
import { countRows, routesWithAction, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { customerWith, service } from "#tests/workerd/customer.ts";
import { type SignedInAccount, storedSignIn } from "#tests/workerd/signed-in-account.ts";

const POST = "POST";
const READ_AND_POST = "GET, HEAD, POST";

/** The expected `Allow` header of every resource route that changes something. */
const RESOURCES: Record<string, string> = {
  "/admin/availability": POST,
  "/admin/filters": POST,
  "/admin/mentions": READ_AND_POST,
  "/admin/support/:id/actions": POST,
  "/announcements/dismiss": POST,
  "/api/balance": READ_AND_POST,
  "/api/order": READ_AND_POST,
  "/api/services": READ_AND_POST,
  "/api/status": READ_AND_POST,
  "/api/v1/create_order": POST,
  "/api/v2": POST,
  "/auth/proof": READ_AND_POST,
  "/auth/passkey-options": POST,
  "/auth/v1/logout": POST,
  "/auth/v1/passkeys/:id": "PATCH, DELETE",
  "/auth/v1/passkeys/authentication/options": POST,
  "/auth/v1/passkeys/authentication/verify": POST,
  "/auth/v1/passkeys/registration/options": POST,
  "/auth/v1/passkeys/registration/verify": POST,
  "/auth/v1/recover": POST,
  "/auth/v1/signup": POST,
  "/auth/v1/token": POST,
  "/auth/v1/user": "GET, HEAD, PUT",
  "/dashboard/orders/mass/check": POST,
  "/dashboard/percent-code": POST,
  "/dashboard/services/:id": READ_AND_POST,
  "/dashboard/services/seen": POST,
  "/email/webhook": POST,
  "/functions/gmail-oauth-auth": POST,
  "/functions/gmail-sync": POST,
  "/logout": READ_AND_POST,
  "/push/subscriptions": "GET, HEAD, POST, DELETE",
  "/stripe/webhook": POST,
  "/support/session": READ_AND_POST,
  "/support/sessions/:id/email": POST,
  "/support/sessions/:id/files": POST,
  "/support/sessions/:id/messages": READ_AND_POST,
  "/support/sessions/:id/rating": POST,
  "/support/sessions/:id/read": POST,
  "/support/sessions/:id/transcript": POST,
  "/upload/parts": POST,
  "/upload/parts/:id": "GET, HEAD, PUT, POST, DELETE",
};
/** The API docs accept a form only at their other URL, /docs/api. */
const PAGES_WITHOUT_POST = ["/api/docs"];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

let admin: SignedInAccount;
/** No refused request changes these. */
let rows: Record<string, number>;

beforeAll(async () => {
  admin = await storedSignIn("admin");
  rows = await countRows();
});

test("lists every resource route that changes something", () => {
  expect(routesWithAction().resources).toEqual(Object.keys(RESOURCES).sort());
});

test.each(Object.entries(RESOURCES))("%s takes %s and nothing else", async (path, allow) => {
  for (const method of METHODS.filter((name) => !allow.split(", ").includes(name))) {
    const response = await send(method, path, admin.cookie);
    expect([method, response.status, response.headers.get("Allow")]).toEqual([method, 405, allow]);
    expect(response.headers.getSetCookie()).toEqual([]);
    await response.body?.cancel();
  }
});

test.each(routesWithAction().pages)("the page %s takes its form by POST and nothing else", async (path) => {
  const allow = PAGES_WITHOUT_POST.includes(path) ? "GET, HEAD" : READ_AND_POST;
  const methods = PAGES_WITHOUT_POST.includes(path) ? ["POST", "PUT", "PATCH", "DELETE"] : ["PUT", "PATCH", "DELETE"];
  // A page refuses them all in one place.
  for (const method of atScale(0, 1) ? methods : methods.slice(0, 1)) {
    const response = await send(method, path, admin.cookie);
    expect([method, response.status, response.headers.get("Allow")]).toEqual([method, 405, allow]);
    await response.body?.cancel();
  }
});

test("changes nothing by any of these requests", async () => {
  expect(await countRows()).toEqual(rows);
});

test("refuses POST on a page without a form, and names the allowed methods", async () => {
  const response = await send("POST", "/privacy-policy", "");
  expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  await response.body?.cancel();
});

test.each(["/api/v2", "/api/v2/", "/api/order", "/api/v1/create_order"])(
  "places an order on %s only for POST",
  async (path) => {
    const { apiKey } = await customerWith(MICRO);
    const order = {
      action: "add",
      service: String(await service()),
      link: "https://instagram.com/p/1",
      quantity: "100",
    };
    const before = await countRows();
    const query = new URLSearchParams(order);
    const headers = { Authorization: `Bearer ${apiKey}` };
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"]) {
      const body = method === "GET" || method === "HEAD" ? null : query;
      const response = await SELF.fetch(`${SITE}${path}?${query}`, { method, headers, body });
      await response.body?.cancel();
    }
    expect((await countRows()).orders).toBe(before.orders);
    const placed = await SELF.fetch(`${SITE}${path}`, { method: "POST", headers, body: query });
    expect(placed.ok).toBe(true);
    await placed.body?.cancel();
    expect((await countRows()).orders).toBe((before.orders ?? 0) + 1);
  },
);

function send(method: string, path: string, cookie: string): Promise<Response> {
  const body = method === "GET" || method === "HEAD" ? null : new URLSearchParams({ intent: "none" });
  const address = SITE + path.replaceAll(/:\w+/g, "1");
  return SELF.fetch(address, { method, body, headers: { Cookie: cookie, ...SAME_SITE }, redirect: "manual" });
}
