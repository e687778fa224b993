import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { browserCookie, clearCookie, flashCookie } from "#app/http/cookies.ts";
import { HSTS } from "#app/http/responses/security-headers.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import worker from "#workers/app.ts";

const PATHS = ["/", "/auth/login?redirectTo=%2Fdashboard", "/api/docs", "//evil.example", "/support/sessions/a/socket"];

test("redirects every request over plain http to https, and reads nothing of it", async () => {
  const { cookie } = await signedIn("admin");
  for (const path of PATHS) {
    for (const init of [{}, { method: "POST", body: "key=1" }, { headers: { Cookie: cookie, Upgrade: "websocket" } }]) {
      const response = await deployed(new Request(`http://growline.example:8080${path}`, init));
      expect([response.status, response.headers.get("Location")], path).toEqual([
        308,
        `https://growline.example${path}`,
      ]);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
  }
});

test("refuses programs that send their key over plain http", async () => {
  for (const path of [
    "/api/v2",
    "/API/v2",
    "/api/v1/create_order",
    "/auth/v1/token?grant_type=password",
    "/stripe/webhook",
  ]) {
    const response = await deployed(new Request(`http://growline.example${path}`, { method: "POST", body: "key=1" }));
    expect([response.status, response.headers.get("Location")], path).toEqual([403, null]);
    expect(await response.json()).toEqual({ error: "Use https" });
  }
});

test("serves https, and http on the same machine", async () => {
  for (const origin of ["https://growline.example", "http://localhost:8787", "http://127.0.0.1", "http://[::1]:1"]) {
    const response = await deployed(new Request(`${origin}/privacy-policy`));
    expect([response.status, response.headers.get("Strict-Transport-Security")], origin).toEqual([
      200,
      origin.startsWith("https:") ? HSTS : null,
    ]);
    await response.text();
  }
});

test("sets only Secure cookies that no subdomain can shadow, except on http://localhost", async () => {
  for (const url of ["https://growline.example/", "http://growline.example/", "http://localhost.evil.example/"]) {
    for (const header of await cookiesOn(url)) expect(header).toMatch(/^__Host-growline_.*; Path=\/; .*Secure/);
  }
  for (const url of ["http://localhost:8787/", "http://127.0.0.1/", "http://[::1]/"]) {
    for (const header of await cookiesOn(url)) {
      expect(header).toMatch(/^growline_/);
      expect(header).not.toContain("Secure");
    }
  }
});

test("tells browsers on assets too to come back over https", async () => {
  for (const path of ["/favicon.svg", "/og.png"]) {
    const response = await env.ASSETS.fetch(`https://growline.example${path}`);
    expect([response.status, response.headers.get("Strict-Transport-Security")], path).toEqual([200, HSTS]);
  }
});

function deployed(request: Request): Promise<Response> {
  const received = request as Parameters<typeof worker.fetch>[0];
  return worker.fetch(received, { ...env, ENVIRONMENT: "production" }, createExecutionContext());
}

async function cookiesOn(url: string): Promise<string[]> {
  const request = new Request(url);
  const cookie = browserCookie(request, "growline_auth", { maxAgeSeconds: 60, secrets: "a" });
  return [await cookie.serialize("1"), await clearCookie(cookie), await flashCookie(request, "Saved")];
}
