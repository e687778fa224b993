import { data, redirect } from "@remix-run/cloudflare";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { flashCookie } from "#app/http/cookies.ts";
import { safePath } from "#app/http/requests/safe-path.ts";

export async function respondToForm<Result extends FormResult>(request: Request, outcome: FormOutcome<Result>) {
  if (outcome.kind === "shown") {
    const { status, result, headers = {} } = outcome;
    return data(result, { status, headers });
  }
  const path = safePath(outcome.to ?? new URL(request.url).pathname, "/");
  return redirect(path, { headers: { "Set-Cookie": await flashCookie(request, outcome.message) } });
}
