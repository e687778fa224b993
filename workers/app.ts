import { type AppLoadContext, createRequestHandler } from "@remix-run/cloudflare";
import { forgetEnded } from "#app/accounts/deletion/expired-rows.server.ts";
import { connect, connectSupport, type Db } from "#app/db/db.server.ts";
import { forgetEndedWindows } from "#app/db/rate-limit.server.ts";
import { resumeDeletions } from "#app/delete-account.server.ts";
import { sendEmail } from "#app/email/send-email.server.ts";
import { forgetBegunConnections } from "#app/gmail/connect/connect-gmail.server.ts";
import { syncDueMailboxes } from "#app/gmail/sync/sync-mailbox.server.ts";
import { log, runLogged } from "#app/http/log.ts";
import { completeMethodNotAllowed } from "#app/http/requests/allowed-methods.ts";
import { isCrossSiteWrite } from "#app/http/requests/cross-site.ts";
import { setSecurityHeaders } from "#app/http/responses/security-headers.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { runFulfillment } from "#app/orders/fulfillment/fulfillment.server.ts";
import { importCatalogs } from "#app/orders/providers/catalog-import.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { queueLowBalanceWebhooks } from "#app/orders/webhooks/queue-webhooks.server.ts";
import { deleteOldDeliveries, sendWebhooks } from "#app/orders/webhooks/send-webhooks.server.ts";
import { emailUnreadReplies } from "#app/support/email/unread-reply-mailer.server.ts";
import { forgetAbandonedUploads } from "#app/uploads/uploads.server.ts";
import { upgradeSupportSocket } from "#workers/support/upgrade-socket.ts";
import * as build from "../build/server/index.js";
import { fixedRoutes } from "./fixed-routes.ts";

export { SupportDesk } from "#workers/support/support-desk.ts";
export { SupportRoom } from "#workers/support/support-room.ts";
export { ApiGate } from "./api-gate-object.ts";

/** The other cron trigger of wrangler.toml is the one of each minute. */
const NIGHTLY = "17 3 * * *";

/** What this isolate remembers of it. */
const catalog = new CatalogCache();

const handleRequest = createRequestHandler(build, "production");
const answerApi = fixedRoutes(build, "api/");

export default {
  async fetch(request, env, ctx) {
    const started = Date.now();
    const url = new URL(request.url);
    const context: AppLoadContext = {
      env,
      db: connect(env.DB),
      supportDb: connectSupport(env.DB_SUPPORT),
      catalog,
      requestId: crypto.randomUUID(),
      nonce: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16)))),
      waitUntil: (work) => ctx.waitUntil(work),
    };
    const upgraded = await upgradeSupportSocket(request, context);
    if (upgraded) return upgraded;
    const answer = isCrossSiteWrite(request)
      ? new Response("This request came from another site and was refused.", { status: 403 })
      : await (answerApi(url.pathname, request, context) ?? handleRequest(request, context));
    const response = new Response(answer.body, answer);
    completeMethodNotAllowed(request, response);
    response.headers.set("X-Request-Id", context.requestId);
    setSecurityHeaders(response.headers, {
      nonce: context.nonce,
      host: url.host,
      secure: url.protocol === "https:",
      connectAlso: env.RELOAD_URL,
    });
    log("info", "request", {
      request_id: context.requestId,
      method: request.method,
      path: url.pathname,
      status: response.status,
      ms: Date.now() - started,
    });
    return response;
  },

  async scheduled({ cron }, env) {
    const db = connect(env.DB);
    const jobs = cron === NIGHTLY ? nightlyJobs(db, env) : minuteJobs(db, env);
    const failed: string[] = [];
    for (const [job, run] of Object.entries(jobs)) {
      if (!(await runLogged("scheduled job failed", { job }, run))) failed.push(job);
    }
    // The platform counts the run as failed.
    if (failed.length > 0) throw new Error(`scheduled jobs failed: ${failed.join(", ")}`);
  },
} satisfies ExportedHandler<Env>;

/** By name, in the order they run. One that fails does not stop the next. */
type Jobs = Record<string, () => Promise<unknown>>;

function nightlyJobs(db: Db, env: Env): Jobs {
  return {
    "remove ended sessions": () => forgetEnded(db),
    "remove ended rate limits": () => forgetEndedWindows(db),
    "remove old webhook deliveries": () => deleteOldDeliveries(db),
    "remove unfinished Gmail connections": () => forgetBegunConnections(db),
    "remove abandoned uploads": () => forgetAbandonedUploads(db, env.UPLOADS),
    "import catalogs": () => importCatalogs(db, env),
    "check the ledger": () => reportLedgerFaults(db),
  };
}

function minuteJobs(db: Db, env: Env): Jobs {
  return {
    "resume account deletions": () => resumeDeletions(db, env),
    "move orders": () => runFulfillment(db, env),
    "sum up spending": () => rollUpSpending(db),
    "announce low balances": () => queueLowBalanceWebhooks(db),
    "send webhooks": () => sendWebhooks(db, env),
    "email unread replies": () =>
      emailUnreadReplies(connectSupport(env.DB_SUPPORT), env.SUPPORT_ROOM, (mail) => sendEmail(env, mail), Date.now()),
    "sync Gmail": () => syncDueMailboxes(db, env),
  };
}

async function reportLedgerFaults(db: Db): Promise<void> {
  for (const fault of await checkLedger(db)) log("error", "ledger does not add up", fault);
}
