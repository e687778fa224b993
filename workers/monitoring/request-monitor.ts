import type { AppLoadContext } from "@remix-run/cloudflare";
import { connect } from "#app/db/db.server.ts";
import type { QueryMeter } from "#app/db/query-meter.server.ts";
import { runLogged } from "#app/http/log.ts";
import type { AnsweredRequest } from "#app/monitoring/requests/answered-request.ts";
import { writeRequestPoint } from "#app/monitoring/requests/data-points.ts";
import { RequestCounters } from "#app/monitoring/requests/request-counters.ts";
import { addToHours } from "#app/monitoring/requests/request-hours.server.ts";
import { logRequest } from "#app/monitoring/requests/request-log.ts";
import { areaOf } from "./route-areas.ts";

/** As what a refusal in maintenance mode counts: nothing is down, so nobody is alerted. */
const REFUSED = 409;

/** Logs and counts the requests of one isolate. */
export class RequestMonitor {
  readonly #counters = new RequestCounters();

  record(
    { env, db, route, requestId, waitUntil }: Pick<AppLoadContext, "env" | "db" | "route" | "requestId" | "waitUntil">,
    { queries, roundTrips, rowsRead, rowsWritten }: QueryMeter,
    answer: Pick<AnsweredRequest, "method" | "status" | "ms">,
  ): void {
    const who = { requestId, route, area: areaOf(route), userId: db.userId };
    const request: AnsweredRequest = { ...who, ...answer, queries, roundTrips, rowsRead, rowsWritten };
    logRequest(env, request);
    writeRequestPoint(env.METRICS, request);
    if (env.REQUEST_COUNTS !== "off")
      this.#count(db.refusesOrders ? { ...request, status: REFUSED } : request, env, waitUntil);
  }

  #count(request: AnsweredRequest, env: Env, waitUntil: AppLoadContext["waitUntil"]): void {
    const now = Date.now();
    this.#counters.count(request, now);
    const due = this.#counters.takeDue(now);
    if (!due) return;
    const adding = runLogged("requests not counted", {}, () => addToHours(connect(env.DB), due));
    waitUntil(
      adding.then((isAdded) => {
        if (!isAdded) this.#counters.putBack(due);
      }),
    );
  }
}
