import type { Db } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import { type SiteState, selectBanners } from "#app/settings/announcements.server.ts";
import { selectSettings, siteSettings } from "#app/settings/settings-store.server.ts";
import { withDefaults } from "#app/settings/site-settings.ts";
import { MINUTE_MS } from "#app/time.ts";

/** How long an isolate takes the settings for current. */
const FRESH_MS = 10_000;
/** How old they may be for the request that finds them old, and has them read behind it. */
const USABLE_MS = 5 * MINUTE_MS;
/** A page waits no longer for the settings: without the database it shows the last ones that were known. */
const READ_LIMIT_MS = 1500;

/**
 * What an isolate remembers of the settings, so that no page waits for one more trip to the database: they are read behind
 * a response, and awaited only by an isolate that knows none, or none of the last minutes. What takes orders or money asks
 * the database instead.
 */
export class SettingsCache {
  #known: { readAt: number; state: SiteState } | null = null;
  #readingUntil = 0;

  async current(db: Db, env: Env, waitUntil: (work: Promise<unknown>) => void): Promise<SiteState> {
    const now = Date.now();
    const age = this.#known ? now - this.#known.readAt : Number.POSITIVE_INFINITY;
    if (this.#known && age < FRESH_MS) return this.#known.state;
    if (this.#known && age < USABLE_MS) {
      if (now >= this.#readingUntil) waitUntil(this.#read(db, env, now));
      return this.#known.state;
    }
    await this.#read(db, env, now);
    // Old rather than none, and none rather than a wait of each request while the database is down.
    this.#known = { readAt: now - FRESH_MS, state: { settings: withDefaults({}, env), banners: [] }, ...this.#known };
    return this.#known.state;
  }

  /** Makes the next request of this isolate wait for the settings as they are then. */
  forget(): void {
    this.#known = this.#known && { ...this.#known, readAt: 0 };
  }

  async #read(db: Db, env: Env, now: number): Promise<void> {
    this.#readingUntil = now + READ_LIMIT_MS;
    try {
      const read = await within(READ_LIMIT_MS, db.batch([selectSettings(db), selectBanners(db, now)]));
      if (!read) throw new Error(`no answer within ${READ_LIMIT_MS} ms`);
      const [rows, banners] = read;
      this.#known = { readAt: now, state: { settings: siteSettings(rows, env), banners } };
    } catch (error) {
      logError("settings not read", error);
    }
    this.#readingUntil = 0;
  }
}
