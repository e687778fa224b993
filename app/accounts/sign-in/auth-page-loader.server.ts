import { type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { safePath } from "#app/http/requests/safe-path.ts";
import { AFTER_SIGN_IN } from "./auth-page.tsx";

/** Returns the path to open after log-in or sign-up. Throws a redirect to it if the viewer is already logged in. */
export async function loadAuthPage({ request, context }: LoaderFunctionArgs): Promise<{ redirectTo: string }> {
  const redirectTo = safePath(new URL(request.url).searchParams.get("redirectTo"), AFTER_SIGN_IN);
  if (await readHeldViewer(request, context)) throw redirect(redirectTo);
  return { redirectTo };
}
