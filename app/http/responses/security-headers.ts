type Page = {
  nonce: string;
  /** Host of the page, for browsers in which 'self' does not cover `wss:`. */
  host: string;
  secure: boolean;
  /** The page is the same for everybody, except for the user's name in its header. */
  isPublic: boolean;
  /** A second origin that pages may connect to, only in `npm run dev`. */
  connectAlso?: string;
};

/** `public/_headers` repeats it, because Cloudflare serves assets without the worker. */
export const HSTS = "max-age=63072000; includeSubDomains";

/** The policy of a response that is no page: should a browser show it as one, it loads nothing and is in no frame. */
const NOT_A_PAGE = "default-src 'none'; frame-ancestors 'none'";

/** Sets the headers of every response, and the content security policy on HTML. */
export function setSecurityHeaders(headers: Headers, page: Page): void {
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "strict-origin-when-cross-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  // Not same-origin: the Gmail popup has to reach its opener.
  if (!headers.has("Cross-Origin-Opener-Policy")) {
    headers.set("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
  }
  // The back button may show a public page again. A page with a user's own data is stored nowhere.
  if (!headers.has("Cache-Control"))
    headers.set("Cache-Control", page.isPublic ? "private, no-cache" : "private, no-store");
  if (page.secure) headers.set("Strict-Transport-Security", HSTS);
  if (!headers.get("Content-Type")?.startsWith("text/html")) {
    // Files state a stricter policy of their own.
    if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", NOT_A_PAGE);
    return;
  }
  headers.set("X-Frame-Options", "DENY");
  headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()");
  headers.set("Content-Security-Policy", contentSecurityPolicy(page));
}

function contentSecurityPolicy({ nonce, host, secure, connectAlso }: Page): string {
  const connect = ["'self'", `${secure ? "wss" : "ws"}://${host}`, connectAlso].filter(Boolean).join(" ");
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${connect}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(secure ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
}
