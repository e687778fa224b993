import { data, redirect } from "@remix-run/cloudflare";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import type { FormResult } from "./form-result.ts";

/** The outcome of a form: a toast after a reload of its page (or on the page `to`), or a result that the form shows. */
export type FormOutcome<Result extends FormResult = FormResult> =
  | { kind: "done"; message: string; to?: string }
  | { kind: "shown"; status: number; result: Result; headers?: HeadersInit };

export function respondToForm<Result extends FormResult>(request: Request, outcome: FormOutcome<Result>) {
  if (outcome.kind === "shown") {
    const { status, result, headers = {} } = outcome;
    return data(result, { status, headers });
  }
  const path = outcome.to ?? new URL(request.url).pathname;
  return redirect(path, { headers: { "Set-Cookie": flashCookie(outcome.message) } });
}
