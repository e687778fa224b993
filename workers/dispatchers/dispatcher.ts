import { DurableObject } from "cloudflare:workers";
import { isOutgoingHeld } from "#app/backup/restore/outgoing-hold.server.ts";
import { firstLine, logError } from "#app/http/log.ts";

const RETRY_MS = 30_000;
/** The platform has lost an alarm that is this late, for example after its last retry: nothing else would set a new one. */
const LOST_AFTER_MS = 60_000;
/** A failed round is repeated sooner, so that a dispatcher that keeps failing says so whenever cron wakes it. */
const RECENT_FAILURE_MS = 90_000;

type Failure = { at: number; error: string };

/**
 * A Durable Object that works off one queue in D1. It wakes itself by alarms, which the platform keeps through a kill, and
 * sleeps when nothing is open. D1 is the record: what a dispatcher remembers between rounds may be lost.
 */
export abstract class Dispatcher extends DurableObject<Env> {
  #isRunning = false;
  /** Woken during a round. A kill that loses this also ends the alarm, which the platform then repeats. */
  #isWoken = false;
  /** A database is restored while no worker uses it, so it can't become held later. */
  #isReleased = false;
  /** A restored copy holds what calls others until it is released. */
  protected readonly callsOthers: boolean = true;

  /** Does what is due in the queue. Returns in how many ms the next round is due, or null if nothing is open. */
  protected abstract runRound(queue: string): Promise<number | null>;

  /** Answers, for the health check. */
  answer(): true {
    return true;
  }

  /**
   * Runs a round as soon as possible, and returns what a round has just failed with, or null. `queue` is the name of this
   * object.
   */
  async wake(queue: string): Promise<string | null> {
    await this.#setAlarm(queue);
    const failure = this.ctx.storage.kv.get<Failure>("failure");
    return failure && failure.at > Date.now() - RECENT_FAILURE_MS ? failure.error : null;
  }

  /** Keeps what a round failed with: the platform evicts this object between rounds. */
  protected noteFailure(error: unknown): void {
    this.ctx.storage.kv.put("failure", { at: Date.now(), error: firstLine(error) } satisfies Failure);
  }

  async #setAlarm(queue: string): Promise<void> {
    if (this.#isRunning) {
      this.#isWoken = true;
      return;
    }
    if (this.ctx.storage.kv.get("queue") === undefined) this.ctx.storage.kv.put("queue", queue);
    const alarm = await this.ctx.storage.getAlarm();
    const now = Date.now();
    const isAboutToRun = alarm !== null && alarm <= now && alarm > now - LOST_AFTER_MS;
    if (!isAboutToRun) await this.ctx.storage.setAlarm(now);
  }

  override async alarm(): Promise<void> {
    const queue = this.ctx.storage.kv.get<string>("queue");
    if (queue === undefined) return;
    let next: number | null = RETRY_MS;
    this.#isRunning = true;
    this.#isWoken = false;
    try {
      // Cron wakes it again.
      next = (await this.#isHeld()) ? null : await this.runRound(queue);
    } catch (error) {
      logError("dispatcher round failed", error, { dispatcher: this.constructor.name, queue });
      this.noteFailure(error);
    }
    this.#isRunning = false;
    if (this.#isWoken) next = 0;
    if (next !== null) await this.ctx.storage.setAlarm(Date.now() + next);
  }

  async #isHeld(): Promise<boolean> {
    if (!this.callsOthers || this.#isReleased) return false;
    this.#isReleased = !(await isOutgoingHeld(this.env.DB));
    return !this.#isReleased;
  }
}
