import { type AppLoadContext, createRequestHandler } from "@remix-run/cloudflare";
import { forgetEnded } from "#app/accounts/housekeeping.server.ts";
import { sendMail } from "#app/accounts/mail/mailer.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { forgetEndedWindows } from "#app/db/rate-limit.server.ts";
import { resumeDeletions } from "#app/delete-account.server.ts";
import { isCrossSiteWrite } from "#app/http/cross-site.ts";
import { log } from "#app/http/log.ts";
import { setSecurityHeaders } from "#app/http/security-headers.ts";
import { forgetBegunConnections } from "#app/mail/connect.server.ts";
import { syncDueMailboxes } from "#app/mail/sync.server.ts";
import { Catalogue } from "#app/orders/catalogue.server.ts";
import { importCatalogues } from "#app/orders/catalogue-import.server.ts";
import { moveOrders } from "#app/orders/fulfilment.server.ts";
import { checkLedger } from "#app/orders/ledger-check.server.ts";
import { rollUpSpending } from "#app/orders/spending.server.ts";
import { forgetOldDeliveries, sendWebhooks, tellOfLowBalances } from "#app/orders/webhook-deliveries.server.ts";
import { mailLeftVisitors } from "#app/support/left-visitors.server.ts";
import { forgetAbandonedUploads } from "#app/uploads/uploads.server.ts";
import * as build from "../build/server/index.js";
import { fixedRoutes } from "./fixed-routes.ts";
import { upgradeSupportSocket } from "./support-upgrade.ts";

export { ApiGate } from "./api-gate.ts";
export { SupportDesk } from "./support-desk.ts";
export { SupportRoom } from "./support-room.ts";

/** The other cron trigger of wrangler.toml is the one of each minute. */
const NIGHTLY = "17 3 * * *";

/** What this isolate remembers of it. */
const catalogue = new Catalogue();

const handleRequest = createRequestHandler(build, "production");
const answerApi = fixedRoutes(build, "api/");

export default {
  async fetch(request, env, ctx) {
    const started = Date.now();
    const url = new URL(request.url);
    const context: AppLoadContext = {
      env,
      db: connect(env.DB),
      catalogue,
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
    if (cron === NIGHTLY) {
      await forgetEnded(db);
      await forgetEndedWindows(db);
      await forgetOldDeliveries(db);
      await forgetBegunConnections(db);
      await forgetAbandonedUploads(db, env.UPLOADS);
      await importCatalogues(db, env);
      await reportLedgerFaults(db);
      return;
    }
    await resumeDeletions(db, env);
    await moveOrders(db, env);
    await rollUpSpending(db);
    await tellOfLowBalances(db);
    await sendWebhooks(db, env);
    await mailLeftVisitors(db, env.SUPPORT_ROOM, (mail) => sendMail(env, mail), Date.now());
    await syncDueMailboxes(db, env);
  },
} satisfies ExportedHandler<Env>;

async function reportLedgerFaults(db: Db): Promise<void> {
  for (const fault of await checkLedger(db)) log("error", "ledger does not add up", fault);
}
