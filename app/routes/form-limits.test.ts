import { SELF } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { routesWithAction, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { type SignedInAccount, storedSignIn } from "#tests/workerd/signed-in-account.ts";

/** Actions that read no form: one creates a test key, the other refuses. */
const WITHOUT_FORM = ["/api/docs", "/docs/api"];
/** Forms with larger limits, for their own encoding only: long lists and mass-order lines are URL-encoded, files are not. */
const LARGE_URLENCODED = [
  "/dashboard",
  "/dashboard/orders/mass",
  "/admin/providers/:id",
  "/admin/providers/quarantine",
];
const LARGE_MULTIPART = ["/upload"];

const FORMS = routesWithAction().pages.filter((path) => !WITHOUT_FORM.includes(path));
const SMALL_FORMS = FORMS.filter((path) => !LARGE_URLENCODED.includes(path));
const SMALL_MULTIPART = FORMS.filter((path) => !LARGE_MULTIPART.includes(path));
const FORM_BYTES = 64 * 1024;
/** A page with its form: the largest, of the settings, has 101,000. */
const MAX_RESPONSE_CHARACTERS = 125_000;

/** An instruction to a parser of nested fields to insert an item into a list. */
const INSERT = JSON.stringify({ type: "insert", payload: { name: "a", index: 20_000_000 } });
/** Fields that no form knows, with names that a parser of nested fields would read as lists, each kind of intent once. */
const UNKNOWN_FIELDS = [
  "no-such-field=1&a[20000000]=1&email[20000000]=1&token=1&password[20000000]=1&a.b[20000000].c=1&__proto__[20000000]=1",
  "password[20000000]=1&intent=password",
  "fullName[20000000]=1&intent=name",
  `no-such-field=1&intent=unknown&__intent__=${encodeURIComponent(INSERT)}`,
];

let admin: SignedInAccount;

beforeAll(async () => {
  admin = await storedSignIn("admin");
});

test.each(FORMS)(
  "%s responds briefly to a field that names the twenty-millionth item of a list, and sends back none that it does not know",
  async (path) => {
    // Signed-in users are redirected away from the sign-in forms. A user of its own, because attempts are counted.
    const cookie = path.startsWith("/auth/") ? "" : (await storedSignIn("admin")).cookie;
    // The other two name intents of the account.
    const bodies =
      atScale(0, 1) || path === "/dashboard/account" ? UNKNOWN_FIELDS : [UNKNOWN_FIELDS[0], UNKNOWN_FIELDS[3]];
    for (const body of bodies as string[]) {
      const response = await post(path, body, cookie);
      const text = await response.text();
      expect(text.length, body).toBeLessThan(MAX_RESPONSE_CHARACTERS);
      expect(text, body).not.toContain("no-such-field");
      expect(response.status, body).toBeLessThan(500);
    }
  },
);

test.each(SMALL_FORMS)("%s refuses a form of more than 64 KB and says so", async (path) => {
  const { cookie } = admin;
  const tooLong = `a=${"x".repeat(FORM_BYTES - 1)}`;
  for (const body of [tooLong, chunked(tooLong)]) {
    const response = await post(path, body, cookie);
    expect(response.status).toBe(413);
    expect(await response.text()).toContain("This form is larger than 64 KB.");
  }
});

test.each(SMALL_MULTIPART)("%s refuses more than 64 KB of multipart data", async (path) => {
  const { cookie } = admin;
  const response = await postFile(path, FORM_BYTES, cookie);
  expect(response.status).toBe(413);
  expect(await response.text()).toContain("This form is larger than 64 KB.");
});

test("reads a file of more than 64 KB at /upload", async () => {
  const { cookie } = admin;
  const response = await postFile("/upload", FORM_BYTES, cookie);
  expect(response.status).toBe(400);
  await response.body?.cancel();
});

test("reads a form of 64 KB", async () => {
  const response = await post("/auth/login", `a=${"x".repeat(FORM_BYTES - 2)}`, "");
  expect(response.status).toBe(400);
  await response.body?.cancel();
});

test("returns 400 for a body that is not a form", async () => {
  const response = await SELF.fetch(`${SITE}/auth/login`, { method: "POST", body: "{}", headers: { ...SAME_SITE } });
  expect(response.status).toBe(400);
  await response.body?.cancel();
});

test("accepts the longest list of comments that an order may have", async () => {
  const { cookie } = admin;
  const comments = "ж".repeat(200_000);
  const body = new URLSearchParams({ intent: "order", service: "1", comments }).toString();
  const response = await post("/dashboard", body, cookie);
  expect(response.status).toBe(400);
  await response.body?.cancel();
});

test("accepts mass orders up to 4 MB of lines, however they are encoded", async () => {
  const { cookie } = admin;
  const draft = `mass-${crypto.randomUUID()}`;
  const path = `/dashboard/orders/mass?draft=${draft}`;
  const long = new URLSearchParams({ intent: "check", lines: "|".repeat(4 * 1024 * 1024 + 1) }).toString();
  const refused = await post(path, long, cookie);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("This is more than 4 MB.");
  const tooLong = await post(path, chunked(`${long}${"x".repeat(FORM_BYTES)}`), cookie);
  expect(tooLong.status).toBe(413);
  expect(await tooLong.text()).toContain("This is more than 4 MB.");
});

test.each(["/admin/providers/1", "/admin/providers/quarantine"])(
  "%s refuses more than 1 MB of ticked rows and says so",
  async (path) => {
    const { cookie } = admin;
    const tooLong = `intent=take&picked=${"x".repeat(1024 * 1024)}`;
    for (const body of [tooLong, chunked(tooLong)]) {
      const response = await post(path, body, cookie);
      expect(response.status).toBe(413);
      expect(await response.text()).toContain("Too many rows are ticked for one step.");
    }
  },
);

function post(path: string, body: BodyInit, cookie: string): Promise<Response> {
  return SELF.fetch(SITE + path.replaceAll(/:\w+/g, "1"), {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", Cookie: cookie, ...SAME_SITE },
    body,
    redirect: "manual",
  });
}

/** A body without a Content-Length header. */
function chunked(text: string): ReadableStream {
  return new Blob([text]).stream();
}

/** Posts a form with one file of this size, under a name that no form has. */
function postFile(path: string, bytes: number, cookie: string): Promise<Response> {
  const form = new FormData();
  form.append("intent", "file");
  form.append("other", new File(["x".repeat(bytes)], "x.txt"));
  return SELF.fetch(SITE + path.replaceAll(/:\w+/g, "1"), {
    method: "POST",
    headers: { Cookie: cookie, ...SAME_SITE },
    body: form,
    redirect: "manual",
  });
}
