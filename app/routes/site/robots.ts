import type { LoaderFunctionArgs } from "@remix-run/cloudflare";

const CLOSED = ["/dashboard", "/account", "/admin", "/api/", "/auth/v1/", "/support/", "/debug/", "/logout"];

export function loader({ request }: LoaderFunctionArgs) {
  const lines = [
    "User-agent: *",
    "Allow: /api/docs",
    ...CLOSED.map((path) => `Disallow: ${path}`),
    "",
    `Sitemap: ${new URL("/sitemap.xml", request.url)}`,
    "",
  ];
  return new Response(lines.join("\n"), {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "public, max-age=3600" },
  });
}
