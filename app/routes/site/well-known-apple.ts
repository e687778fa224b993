import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { appSiteAssociation } from "#app/native/shell/app-links.server.ts";

export function loader({ context }: LoaderFunctionArgs) {
  const body = appSiteAssociation(context.env);
  return body ? Response.json(body) : new Response(null, { status: 404 });
}
