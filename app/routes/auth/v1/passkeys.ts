import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { passkeysResponse } from "#app/accounts/sign-in/passkey-responses.server.ts";
import { requireTokenViewer } from "#app/accounts/step-up/token-viewer.server.ts";

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { userId } = await requireTokenViewer(request, context);
  return passkeysResponse((await factorsOf(context.db, userId)).passkeys);
}
