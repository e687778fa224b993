import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { PUBLIC_PAGES } from "#app/public-pages.ts";

const CLOSED = ["/dashboard", "/account", "/admin", "/api/", "/auth/v1/", "/support/", "/debug/", "/logout"];

export function loader({ request }: LoaderFunctionArgs) {
  const lines = [
    "User-agent: *",
    ...PUBLIC_PAGES.filter(({ path }) => isClosed(path)).map(({ path }) => `Allow: ${path}`),
    ...CLOSED.map((path) => `Disallow: ${path}`),
    "",
    `Sitemap: ${new URL("/sitemap.xml", request.url)}`,
    "",
  ];
  return new Response(lines.join("\n"), {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "public, max-age=3600" },
  });
}

function isClosed(path: string): boolean {
  return CLOSED.some((prefix) => path.startsWith(prefix));
}
