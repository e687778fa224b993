import { type createServer, renderCardPage } from "@emulators/core";
import { getGoogleStore } from "@emulators/google";

/**
 * Features of Google that the emulator lacks: the consent page with its checkbox and Cancel, the batch endpoint, the
 * profile, expired history ids, the scope check, and revoking a whole grant by one of its tokens.
 */

type Emulator = ReturnType<typeof createServer>;
type Part = { id: string; method: string; path: string };

export const GMAIL_SCOPE = "https://www.googleapis.com/auth/gmail.readonly";
const CONSENT = "/o/oauth2/v2/auth/consent";
/** Google's limit. */
const MAX_PARTS = 100;

export function withGoogleGaps(emulator: Emulator, redirectUris: string[]): (request: Request) => Promise<Response> {
  const { app, store, tokenMap } = emulator;
  const google = getGoogleStore(store);
  const pass = (request: Request) => Promise.resolve(app.fetch(request));
  // History ids from before the emulator started belong to an earlier run, so they have expired.
  const oldestHistory = new Map(
    google.users.all().map(({ email }) => [email, latestHistoryId(google.messages.findBy("user_email", email))]),
  );

  async function handle(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "POST" && pathname === "/o/oauth2/v2/auth/callback")
      return consentPage(await request.formData());
    if (request.method === "POST" && pathname === CONSENT) return consented(request, await request.formData());
    if (request.method === "POST" && pathname === "/oauth2/revoke") return revoke(await request.text());
    // Browsers request it, and a 404 would show in their console.
    if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
    const isBatch = pathname === "/batch/gmail/v1";
    if (!isBatch && !pathname.startsWith("/gmail/v1/")) return pass(request);
    const holder = tokenMap.get(bearer(request));
    if (!holder) return apiError(401, "Invalid Credentials", "authError", "UNAUTHENTICATED");
    if (!holder.scopes.includes(GMAIL_SCOPE)) {
      return apiError(
        403,
        "Request had insufficient authentication scopes.",
        "insufficientPermissions",
        "PERMISSION_DENIED",
      );
    }
    if (isBatch) return batch(request);
    if (/^\/gmail\/v1\/users\/[^/]+\/profile$/.test(pathname)) return profile(holder.login);
    const since = searchParams.get("startHistoryId");
    if (
      pathname.endsWith("/history") &&
      /^\d+$/.test(since ?? "") &&
      BigInt(since ?? 0) < (oldestHistory.get(holder.login) ?? 0n)
    ) {
      return apiError(404, "Requested entity was not found.", "notFound", "NOT_FOUND");
    }
    return pass(request);
  }

  function profile(email: string): Response {
    const messages = google.messages.findBy("user_email", email);
    const events = google.history.findBy("user_email", email).map((event) => ({ history_id: event.gmail_id }));
    return Response.json({
      emailAddress: email,
      messagesTotal: messages.length,
      threadsTotal: new Set(messages.map((message) => message.thread_id)).size,
      historyId: String(latestHistoryId([...messages, ...events])),
    });
  }

  async function batch(request: Request): Promise<Response> {
    const boundary = /boundary="?([^";]+)"?/.exec(request.headers.get("Content-Type") ?? "")?.[1];
    const parts = boundary ? partsOf(await request.text(), boundary) : [];
    if (request.method !== "POST" || !boundary || parts.length === 0 || parts.length > MAX_PARTS) {
      return apiError(400, "Failed to parse batch request.", "badRequest", "INVALID_ARGUMENT");
    }
    const { origin } = new URL(request.url);
    const headers = { Authorization: request.headers.get("Authorization") ?? "" };
    const responses = await Promise.all(
      parts.map(async ({ id, method, path }) => {
        const response = await handle(new Request(origin + path, { method, headers }));
        return responsePart(id, response, await response.text());
      }),
    );
    const own = `batch_${crypto.randomUUID()}`;
    const body = `${responses.map((part) => `--${own}\r\n${part}\r\n`).join("")}--${own}--\r\n`;
    return new Response(body, { headers: { "Content-Type": `multipart/mixed; boundary=${own}` } });
  }

  function consented(request: Request, form: FormData): Response | Promise<Response> {
    const fields = new URLSearchParams([...form].map(([name, value]) => [name, String(value)]));
    const redirectUri = fields.get("redirect_uri") ?? "";
    if (!redirectUris.includes(redirectUri)) return new Response("redirect_uri_mismatch", { status: 400 });
    if (fields.get("decision") !== "allow") {
      const back = new URL(redirectUri);
      back.search = new URLSearchParams({ error: "access_denied", state: fields.get("state") ?? "" }).toString();
      return Response.redirect(back.href, 302);
    }
    // Grants only what was checked. An empty scope would mean the default scopes.
    fields.set("scope", fields.getAll("granted").join(" ") || "openid");
    fields.delete("granted");
    fields.delete("decision");
    const { origin } = new URL(request.url);
    return pass(new Request(`${origin}/o/oauth2/v2/auth/callback`, { method: "POST", body: fields }));
  }

  function revoke(body: string): Response {
    const token = new URLSearchParams(body).get("token") ?? "";
    const refreshTokens = store.getData<Map<string, { email: string }>>("google.oauth.refreshTokens") ?? new Map();
    const email = tokenMap.get(token)?.login ?? refreshTokens.get(token)?.email;
    if (email === undefined) return Response.json({ error: "invalid_token" }, { status: 400 });
    for (const [one, { login }] of tokenMap) if (login === email) tokenMap.delete(one);
    for (const [one, record] of refreshTokens) if (record.email === email) refreshTokens.delete(one);
    return Response.json({});
  }

  return handle;
}

function consentPage(form: FormData): Response {
  const hidden = [...form].map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(String(value))}">`,
  );
  const scopes = String(form.get("scope") ?? "")
    .split(" ")
    .filter(Boolean);
  const ticks = scopes.map((scope) => {
    const words = scope === GMAIL_SCOPE ? "View your email messages and settings" : scope;
    return `<p><label><input type="checkbox" name="granted" value="${escaped(scope)}" checked> ${escaped(words)}</label></p>`;
  });
  const body = `<form method="post" action="${CONSENT}">${hidden.join("")}${ticks.join("")}
    <p><button class="user-btn" name="decision" value="allow">Continue</button></p>
    <p><button class="user-btn" name="decision" value="deny">Cancel</button></p></form>`;
  const who = escaped(String(form.get("email") ?? ""));
  const page = renderCardPage("Growline wants to access your Google Account", who, body, "Google");
  return new Response(page, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

function partsOf(text: string, boundary: string): Part[] {
  return text.split(`--${boundary}`).flatMap((part) => {
    const id = /^Content-ID:\s*<([^>]+)>/im.exec(part)?.[1];
    const [, method, path] = /^(GET|POST|DELETE) (\/gmail\/v1\/\S+) HTTP\/1\.1/m.exec(part) ?? [];
    return id && method && path ? [{ id, method, path }] : [];
  });
}

function responsePart(id: string, response: Response, body: string): string {
  return [
    "Content-Type: application/http",
    `Content-ID: <response-${id}>`,
    "",
    `HTTP/1.1 ${response.status} ${response.statusText || "Answer"}`,
    "Content-Type: application/json; charset=UTF-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}

function latestHistoryId(rows: { history_id: string }[]): bigint {
  return rows.reduce((latest, { history_id }) => (BigInt(history_id) > latest ? BigInt(history_id) : latest), 0n);
}

function bearer(request: Request): string {
  return /^Bearer (.+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? "";
}

function apiError(code: number, message: string, reason: string, status: string): Response {
  return Response.json(
    { error: { code, message, errors: [{ message, domain: "global", reason }], status } },
    { status: code },
  );
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
