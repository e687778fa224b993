import { type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { safePath } from "#app/http/requests/safe-path.ts";
import { AFTER_SIGN_IN } from "./auth-page.tsx";
import { pathAfterLogIn } from "./log-in-door.server.ts";

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
