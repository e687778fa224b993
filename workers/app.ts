import { env as bindings } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { databaseWaitMs, RETRY_AFTER_SECONDS, waitForAll, waitForEach } from "#app/db/bounded-database.server.ts";
import { refuseSharedNames } from "#app/db/column-names.server.ts";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { QueryMeter } from "#app/db/query-meter.server.ts";
import { Bookmark, toPrimary, toReplicas } from "#app/db/read-replicas.server.ts";
import { keepBookmark, readBookmark } from "#app/http/bookmark-cookie.ts";
import { runLogged } from "#app/http/log.ts";
import { completeMethodNotAllowed } from "#app/http/requests/allowed-methods.ts";
import { isCrossSiteWrite, withoutForeignOrigin } from "#app/http/requests/cross-site.ts";
import { withoutDoubledSlashes } from "#app/http/requests/doubled-slashes.ts";
import { readShortBody } from "#app/http/requests/short-body.ts";
import { redirectToHttps } from "#app/http/responses/https-redirect.ts";
import { setSecurityHeaders } from "#app/http/responses/security-headers.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { isPublicPage } from "#app/public-pages.ts";
import { deleteDevicesOfEndedSessions } from "#app/push/subscriptions.server.ts";
import { receiveAnswer } from "#workers/support/email-answers.ts";
import { closeEndedSessions } from "#workers/support/ended-sessions.ts";
import { upgradeSupportSocket } from "#workers/support/sockets/upgrade-socket.ts";
import * as build from "../build/server/index.js";
import { fixedRoutes } from "./fixed-routes.ts";
import { ComponentHealth } from "./monitoring/component-health.ts";
import { answerProbe } from "./monitoring/probe-responses.ts";
import { RequestMonitor } from "./monitoring/request-monitor.ts";
import { routePatterns } from "./monitoring/route-patterns.ts";
import { readableStatus } from "./monitoring/status-requests.ts";
import { PageCache } from "./page-cache.ts";
import { pageHandler } from "./page-handler.ts";
import { runScheduledJobs } from "./scheduled-jobs.ts";
import { SettingsCache } from "./settings-cache.ts";
import { answeringUnavailable, unavailableResponse } from "./unavailable.ts";

export { SupportDesk } from "#workers/support/support-desk.ts";
export { SupportRoom } from "#workers/support/support-room.ts";
export { ApiGate } from "./api-gate-object.ts";
export { BackupRunner } from "./dispatchers/backup-runner.ts";
export { EmailDispatcher } from "./dispatchers/email-dispatcher.ts";
export { GmailDispatcher } from "./dispatchers/gmail-dispatcher.ts";
export { ProviderDispatcher } from "./dispatchers/provider-dispatcher.ts";
export { PushDispatcher } from "./dispatchers/push-dispatcher.ts";
export { WebhookDispatcher } from "./dispatchers/webhook-dispatcher.ts";

/** More than a request takes. */
const JUST_ENDED_MS = 60_000;

/** One of each per isolate. */
const catalog = new CatalogCache();
const pages = new PageCache();
const monitor = new RequestMonitor();
const health = new ComponentHealth();
const site = new SettingsCache();

const routes = answeringUnavailable(build);
const handlePage = pageHandler(routes);
const handleApi = fixedRoutes(routes, "api/");
const patternOf = routePatterns(build);

if (bindings.ENVIRONMENT === "local") refuseSharedNames();

export default {
  async fetch(received, env, ctx) {
    const started = Date.now();
    const request = withoutDoubledSlashes(received);
    const url = new URL(request.url);
    const bookmark = new Bookmark(await readBookmark(request, env.SESSION_SECRET));
    const meter = new QueryMeter();
    const waitMs = databaseWaitMs(env);
    const wait = waitForAll(waitMs);
    const context: AppLoadContext = {
      env,
      db: connect(toPrimary(env.DB, bookmark), meter, wait),
      replicaDb: connect(toReplicas(env.DB, bookmark), meter, wait),
      supportDb: connectSupport(env.DB_SUPPORT, meter, wait),
      catalog,
      requestId: crypto.randomUUID(),
      startedAt: started,
      route: patternOf(url.pathname),
      nonce: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16)))),
      componentStates: () => health.states(env),
      componentChanges: () => health.changes(context.replicaDb),
      // A connection of its own, because what is read behind a response isn't the request's.
      siteState: () =>
        site.current(connect(toReplicas(env.DB, bookmark), undefined, waitForEach(waitMs)), env, context.waitUntil),
      forgetSiteState: () => site.forget(),
      waitUntil: (work) => ctx.waitUntil(work),
    };
    context.db.readOnce = new Map();
    context.replicaDb.readOnce = new Map();
    const record = (status: number) => {
      monitor.record(context, meter, { method: request.method, status, ms: Date.now() - started });
    };
    let response: Response;
    try {
      response = await respond(request, url, context);
    } catch (error) {
      const unavailable = unavailableResponse(error, request, context);
      if (!unavailable) {
        record(500);
        throw error;
      }
      response = unavailable;
    }
    // What streams and what is done behind the response.
    wait.split();
    if (context.db.endsSessions) {
      const fields = { request_id: context.requestId };
      ctx.waitUntil(runLogged("closing chat sockets failed", fields, () => closeEndedSessions(context.db, env)));
      const forget = () => deleteDevicesOfEndedSessions(context.db, started - JUST_ENDED_MS);
      ctx.waitUntil(runLogged("removing devices failed", fields, forget));
    }
    if (!response.webSocket) {
      setHeaders(request, url, context, response);
      // API clients show no pages.
      if (bookmark.latest !== null && bookmark.hasMoved && !url.pathname.startsWith("/api/")) {
        response.headers.append("Set-Cookie", await keepBookmark(request, env.SESSION_SECRET, bookmark.latest));
      }
    }
    record(response.status);
    return response;
  },

  async scheduled({ cron }, env) {
    await runScheduledJobs(cron, env);
  },

  async email(message, env) {
    await receiveAnswer(message, env);
  },
} satisfies ExportedHandler<Env>;

async function respond(request: Request, url: URL, context: AppLoadContext): Promise<Response> {
  const toHttps = redirectToHttps(request, context.env);
  if (toHttps) return toHttps;
  if (!isDecodable(url.pathname)) return new Response("This address is not valid.", { status: 400 });
  const probed = await answerProbe(request, url, context.env, health);
  if (probed) return probed;
  const upgraded = await upgradeSupportSocket(request, context);
  if (upgraded) return mutable(upgraded);
  if (isCrossSiteWrite(request)) return new Response("Cross-site requests are not allowed.", { status: 403 });
  const read = await readShortBody(request);
  if (!read) return new Response("The body of the request broke off.", { status: 400 });
  const fixed = await handleApi(url.pathname, read, context);
  if (fixed) return fixed;
  // Without the signal: Remix would answer 500 for each visitor who leaves, and somebody would be alerted.
  const render = async (request: Request) =>
    mutable(await handlePage(new Request(withoutForeignOrigin(request), { signal: null }), context));
  const asked = await readableStatus(read, url, context);
  return (await pages.respond(asked, url, context, render)) ?? render(asked);
}

/** Remix warns of a path that it can't decode, several times and with the path. */
function isDecodable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch {
    return false;
  }
}

function setHeaders(
  request: Request,
  url: URL,
  { env, db, nonce, requestId }: AppLoadContext,
  response: Response,
): void {
  completeMethodNotAllowed(request, response);
  // Nobody knows how long a maintenance takes.
  if (response.status === 503 && !db.refusesOrders && !response.headers.has("Retry-After")) {
    response.headers.set("Retry-After", String(RETRY_AFTER_SECONDS));
  }
  response.headers.set("X-Request-Id", requestId);
  // A release's smoke test asks for one version and must know that no other answered.
  if (env.VERSION) response.headers.set("X-Worker-Version", env.VERSION.id);
  setSecurityHeaders(response.headers, {
    nonce,
    host: url.host,
    secure: url.protocol === "https:",
    isPublic: isPublicPage(url.pathname),
    connectAlso: env.RELOAD_URL,
  });
}

/**
 * Returns a copy whose headers can be set: Remix and rooms pass on responses from `fetch` and caches, whose headers
 * can't. An accepted socket stays as it is.
 */
function mutable(response: Response): Response {
  return response.webSocket ? response : new Response(response.body, response);
}
