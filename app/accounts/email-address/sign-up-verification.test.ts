import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { openContent } from "#app/email/queue-email.server.ts";
import { action as signUpAction } from "#app/routes/auth/v1/signup.ts";
import { loader as userLoader } from "#app/routes/auth/v1/user.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { confirmEmail } from "./email-verification.server.ts";

const ORIGIN = "https://growline.example";
const context = loadContext({ env: withoutDispatcher(env) });

test("emails a link on sign-up, and tells the client library the truth before and after it is used", async () => {
  const { email, user, accessToken } = await signUp();
  expect(user).not.toHaveProperty("email_confirmed_at");
  expect(user).not.toHaveProperty("confirmed_at");
  const link = await linkTo(email);
  expect(link.pathname).toBe("/account/verify-email");
  await confirmEmail(context, newVisit(), link.searchParams.get("token") ?? "");
  const read = await userLoader({
    request: new Request(`${ORIGIN}/auth/v1/user`, { headers: { Authorization: `Bearer ${accessToken}` } }),
    context,
    params: {},
  });
  const { email_confirmed_at, confirmed_at } = await read.json<Record<string, string>>();
  expect(Date.now() - Date.parse(email_confirmed_at ?? "")).toBeLessThan(60_000);
  expect(confirmed_at).toBe(email_confirmed_at);
});

test("leads to the redirect that a sign-up call passes if it is ours, and ignores any other", async () => {
  const next = async (redirectTo: string) => {
    const { email } = await signUp(`?${new URLSearchParams({ redirect_to: redirectTo })}`);
    return (await linkTo(email)).searchParams.get("next");
  };
  expect(await next(`${ORIGIN}/dashboard/orders?status=active`)).toBe("/dashboard/orders?status=active");
  expect(await next("/dashboard/api")).toBe("/dashboard/api");
  for (const foreign of [
    "https://evil.example/dashboard",
    "//evil.example",
    `${ORIGIN}//evil.example`,
    "/.//evil.example",
    "javascript:alert(1)",
    "https://growline.example.evil.example/",
    "growline://open",
  ]) {
    expect(await next(foreign), foreign).toBeNull();
  }
});

type SignUpBody = { user: object; access_token: string };

async function signUp(query = "") {
  const email = `${crypto.randomUUID()}@test.example`;
  const request = new Request(`${ORIGIN}/auth/v1/signup${query}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: "correct horse battery" }),
  });
  const response = await signUpAction({ request, context, params: {} });
  const { user, access_token: accessToken } = await response.json<SignUpBody>();
  return { email, user, accessToken };
}

/** Returns the link of the verification email to that address. */
async function linkTo(email: string): Promise<URL> {
  const [queued] = await emailsTo(email);
  const { text } = await openContent(env, queued?.id ?? "", queued?.sealedContent ?? "");
  return new URL(/https:\S+/.exec(text)?.[0] ?? "");
}
