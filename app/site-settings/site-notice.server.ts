import type { AppLoadContext } from "@remix-run/cloudflare";
import { escapeHtml } from "#app/email/escape-html.ts";
import { browserCookie, readCookieText } from "#app/http/cookies.ts";
import { type Banner, bannerAt } from "#app/settings/announcements.server.ts";
import { closedTextOf } from "#app/settings/settings-store.server.ts";

export const DISMISS_PATH = "/announcements/dismiss";
const DISMISSED_DAYS = 30;

type Reader = "visitor" | "customer" | "staff";

/**
 * Returns the HTML above a page's content: that orders are paused, and the announcement that runs for these readers unless
 * they dismissed it. It is text, so that pages carry no script for it: React sets it as it is. "" if there is nothing.
 */
export async function siteNotice(
  { siteState }: Pick<AppLoadContext, "siteState">,
  request: Request,
  reader: Reader,
  now = Date.now(),
): Promise<string> {
  const { settings, banners } = await siteState();
  const closed = closedTextOf(settings);
  const banner = bannerAt(banners, reader, now);
  const isDismissed = banner && (await readCookieText(dismissedCookie(request), request)) === keyOf(banner);
  const paused =
    closed === null
      ? ""
      : maintenanceHtml(
          `New orders and top-ups are paused for maintenance. ${closed} Orders that are already placed go on.`,
        );
  return paused + (banner && !isDismissed ? bannerHtml(banner) : "");
}

/** Returns the Set-Cookie header that remembers what was dismissed, or null for what is no announcement. */
export async function dismissalOf(request: Request, key: string): Promise<string | null> {
  return /^\d{1,10}\.\d{1,10}$/.test(key) ? dismissedCookie(request).serialize(key) : null;
}

/** A changed announcement shows again. */
function keyOf({ id, version }: Banner): string {
  return `${id}.${version}`;
}

function dismissedCookie(request: Request) {
  return browserCookie(request, "growline_dismissed", { maxAgeSeconds: DISMISSED_DAYS * 24 * 60 * 60 });
}

const ROW = "mx-auto flex max-w-6xl items-center gap-x-3 px-4 sm:px-6";
const TEXT = "min-w-0 flex-1 py-2.5 text-sm break-words";

function maintenanceHtml(text: string): string {
  return `<section aria-label="Maintenance" class="border-b border-line bg-warn-wash print:hidden"><div class="${ROW}"><p class="${TEXT} text-warn">${escapeHtml(text)}</p></div></section>`;
}

function bannerHtml(banner: Banner): string {
  const { body, link, linkLabel } = banner;
  const more =
    link === null || linkLabel === null
      ? ""
      : ` <a href="${escapeHtml(link)}" class="underline underline-offset-4">${escapeHtml(linkLabel)}</a>`;
  const dismiss = `<form method="post" action="${DISMISS_PATH}"><input type="hidden" name="announcement" value="${keyOf(banner)}"><button class="-mr-2 inline-flex size-11 items-center justify-center rounded-md text-lg text-muted hover:text-text" aria-label="Dismiss announcement">×</button></form>`;
  return `<section aria-label="Announcement" class="border-b border-line bg-sunken print:hidden"><div class="${ROW}"><p class="${TEXT}">${escapeHtml(body)}${more}</p>${dismiss}</div></section>`;
}
