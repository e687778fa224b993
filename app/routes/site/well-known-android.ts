import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { assetLinks } from "#app/native/shell/app-links.server.ts";

export function loader({ context }: LoaderFunctionArgs) {
  const body = assetLinks(context.env);
  return body ? Response.json(body) : new Response(null, { status: 404 });
}
