import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { readFlash } from "#app/components/toast/read-flash.ts";
import type { Role } from "#app/db/schema.server.ts";
import { siteCookie } from "#tests/response-cookies.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";

const ORIGIN = "https://growline.example";
const HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";

test("logs a legacy account in by form, welcomes it once, and opens the dashboard", async () => {
  const email = "form@legacy.example";
  const account = { id: crypto.randomUUID(), email, hash: HASH, fullName: "", createdAt: 1 };
  await storeLegacyAccounts(env.DB, [account]);
  const first = await logIn(email, "rasmuslerdorf");
  expect(first.headers.get("Location")).toBe("/dashboard");
  const cookies = first.headers.getSetCookie();
  const [session = ""] = cookies;
  expect(session.split("=")[0]).toBe(siteCookie("growline_auth"));
  expect(session).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
  const flashOf = (set: string[]) => readFlash(set.map((one) => one.split("; ")[0]).join("; "), new URL(ORIGIN));
  expect(flashOf(cookies)).toBe("Password successfully migrated! Welcome back!");
  expect(flashOf((await logIn(email, "rasmuslerdorf")).headers.getSetCookie())).toBeNull();
});

test("shows the error of a refused log-in, and the time to wait once over the limit", async () => {
  const { email } = await newAccount();
  const refused = await logIn(email, "wrong");
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("No legacy password found.");
  for (let i = 0; i < 9; i++) await (await logIn(email, "wrong")).text();
  const limited = await logIn(email, PASSWORD);
  expect(limited.status).toBe(429);
  expect(limited.headers.get("Retry-After")).toMatch(/^\d+$/);
  expect(await limited.text()).toContain("Too many attempts. Please try again in 15 minutes.");
});

test("refuses a log-in posted by another site, and sets no cookie", async () => {
  const response = await logIn("form@legacy.example", "rasmuslerdorf", "https://evil.example");
  expect(response.status).toBe(403);
  expect(response.headers.getSetCookie()).toEqual([]);
});

test("opens the console for staff, and the page that they were on the way to", async () => {
  const opened = async (role: Role, redirectTo?: string) => {
    const { email } = await newAccount(role);
    const response = await logIn(email, PASSWORD, ORIGIN, redirectTo === undefined ? {} : { redirectTo });
    return response.headers.get("Location");
  };
  expect(await opened("agent")).toBe("/admin");
  expect(await opened("admin", "/dashboard")).toBe("/admin/today");
  expect(await opened("admin", "/dashboard/orders")).toBe("/dashboard/orders");
  expect(await opened("customer")).toBe("/dashboard");
});

function logIn(
  email: string,
  password: string,
  origin = ORIGIN,
  fields: Record<string, string> = {},
): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: origin, Host: new URL(ORIGIN).host },
    body: new URLSearchParams({ email, password, ...fields }).toString(),
    redirect: "manual",
  });
}
