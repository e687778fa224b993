import { data, redirect } from "@remix-run/cloudflare";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import type { StaffFormResult } from "./staff-form.tsx";

/** The outcome of a staff form: a message on the page (or on the page `to`), or a result that the form shows. */
export type StaffFormOutcome<Result = NonNullable<StaffFormResult>> =
  | { kind: "done"; message: string; to?: string }
  | { kind: "shown"; status: 200 | 400 | 404 | 409 | 502; result: Result };

/** Reloads the page with the message, or shows the result beside the form. */
export function respondToStaffForm<Result>(request: Request, outcome: StaffFormOutcome<Result>) {
  if (outcome.kind === "shown") return data(outcome.result, { status: outcome.status });
  const path = outcome.to ?? new URL(request.url).pathname;
  return redirect(path, { headers: { "Set-Cookie": flashCookie(outcome.message) } });
}
