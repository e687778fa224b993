import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readAccount } from "#app/accounts/profile.server.ts";
import { errorAnswer, userAnswer } from "#app/accounts/token-answers.server.ts";
import { readTokenViewer } from "#app/accounts/viewer.server.ts";

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const viewer = await readTokenViewer(request, context);
  if (!viewer) return errorAnswer(403, "session_not_found", "The access token is not valid, or its session has ended");
  return userAnswer(await readAccount(context.db, viewer.userId));
}
