import { type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import type { Role } from "#app/db/schema.server.ts";
import { safePath } from "#app/http/requests/safe-path.ts";
import { AFTER_SIGN_IN } from "./auth-page.tsx";

/** The first page of the console for each role of staff. */
const CONSOLE = { agent: "/admin", admin: "/admin/today" };

/**
 * Returns the path to open after log-in or sign-up: the one in the URL, or else `fallback`. Throws a redirect to it if the
 * viewer is already logged in.
 */
export async function loadAuthPage(
  { request, context }: Pick<LoaderFunctionArgs, "request" | "context">,
  fallback = AFTER_SIGN_IN,
): Promise<{ redirectTo: string }> {
  const redirectTo = safePath(new URL(request.url).searchParams.get("redirectTo"), fallback);
  const viewer = await readHeldViewer(request, context);
  if (viewer) throw redirect(pathAfterLogIn(viewer.role, redirectTo));
  return { redirectTo };
}

/** Returns where a log-in leads: staff who were on the way to no other page start at their console. */
export function pathAfterLogIn(role: Role, redirectTo: string): string {
  return role !== "customer" && redirectTo === AFTER_SIGN_IN ? CONSOLE[role] : redirectTo;
}
