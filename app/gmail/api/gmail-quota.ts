import { MINUTE_MS } from "#app/time.ts";

/**
 * Gmail's quota for projects created since May 2026, in units: https://developers.google.com/workspace/gmail/api/reference/quota
 * Older projects have more per mailbox, and their messages cost 5.
 */
export const PROJECT_UNITS_PER_MINUTE = 1_200_000;
export const UNITS = { profile: 1, list: 5, history: 2, message: 20 };

/** The part of the quota that a sync used. */
export type QuotaUse = {
  units: number;
  /** How long all mailboxes have to wait, because the project's quota is used up. Null: not at all. */
  pauseMs: number | null;
};

/** Units that all mailboxes may use. They fill up evenly; what a sync used is known, and taken out, at its end. */
export class QuotaBudget {
  readonly #perMinute: number;
  #left: number;
  #at: number;

  constructor(perMinute: number, now: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
    this.#at = now;
  }

  spend(units: number): void {
    this.#left -= units;
  }

  /** Returns in how many ms the next sync may start. */
  waitMs(now: number): number {
    this.#left = Math.min(this.#perMinute, this.#left + ((now - this.#at) / MINUTE_MS) * this.#perMinute);
    this.#at = now;
    return this.#left > 0 ? 0 : Math.ceil((-this.#left / this.#perMinute) * MINUTE_MS) + 1;
  }
}
