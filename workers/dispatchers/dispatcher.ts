import { DurableObject } from "cloudflare:workers";
import { logError } from "#app/http/log.ts";

const RETRY_MS = 30_000;
/** The platform has lost an alarm that is this late, for example after its last retry: nothing else would set a new one. */
const LOST_AFTER_MS = 60_000;

/**
 * A Durable Object that works off one queue in D1. It wakes itself by alarms, which the platform keeps through a kill, and
 * sleeps when nothing is open. D1 is the record: what a dispatcher remembers between rounds may be lost.
 */
export abstract class Dispatcher extends DurableObject<Env> {
  #isRunning = false;
  /** Woken during a round. A kill that loses this also ends the alarm, which the platform then repeats. */
  #isWoken = false;

  /** Does what is due in the queue. Returns in how many ms the next round is due, or null if nothing is open. */
  protected abstract runRound(queue: string): Promise<number | null>;

  /** Answers, for the health check. */
  answer(): true {
    return true;
  }

  /** Runs a round as soon as possible. `queue` is the name of this object. */
  async wake(queue: string): Promise<void> {
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
      next = await this.runRound(queue);
    } catch (error) {
      logError("dispatcher round failed", error, { dispatcher: this.constructor.name, queue });
    }
    this.#isRunning = false;
    if (this.#isWoken) next = 0;
    if (next !== null) await this.ctx.storage.setAlarm(Date.now() + next);
  }
}
