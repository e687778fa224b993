import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { openApiDocument } from "#app/orders/api/docs/openapi.server.ts";

const CACHE_SECONDS = 300;

export function loader({ request }: LoaderFunctionArgs): Response {
  return Response.json(openApiDocument(new URL(request.url).origin), {
    // For code generators and documentation tools on other sites.
    headers: { "Cache-Control": `public, max-age=${CACHE_SECONDS}`, "Access-Control-Allow-Origin": "*" },
  });
}
