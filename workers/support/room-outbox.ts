import { connect, connectSupport } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { retryDelay, writeDelay } from "#app/support/room/outbox-delays.ts";
import type { RoomStore } from "#app/support/room/room-store.server.ts";
import { STORE_BATCH, storeAuditEntries, storeConversation } from "#app/support/room/stored-conversations.server.ts";
import { deleteRoom } from "./room-deletion.ts";
import type { RoomFollowUps } from "./room-follow-ups.ts";

/** How long a message waits at most for what is decided about its question. */
const SETTLE_WITHIN_MS = 2000;

/** Copies a room's changes, and its deletion, to D1 from an alarm, and retries while D1 cannot be reached. */
export class RoomOutbox {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #store: RoomStore;
  readonly #followUps: RoomFollowUps;
  #alarmAt: number | null = null;
  #storing: Promise<void> = Promise.resolve();
  /** The run that has not begun yet. */
  #next: Promise<void> | null = null;
  #failures = 0;
  // In memory only: a room is evicted after a quiet period, when the next write may go out at once.
  #storedAt = 0;
  #storedMessages = 0;
  #retryAt = 0;

  constructor(ctx: DurableObjectState, env: Env, store: RoomStore, followUps: RoomFollowUps) {
    this.#ctx = ctx;
    this.#env = env;
    this.#store = store;
    this.#followUps = followUps;
    // A room interrupted while storing may have used up its alarm.
    if (store.hasWork()) this.storeSoon();
  }

  storeSoon(delayMs = this.#writeDelay()): void {
    this.wakeAt(Date.now() + delayMs);
  }

  /** Has the room's alarm ring by then. It may ring earlier. */
  wakeAt(at: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    this.#ctx.waitUntil(this.#ctx.storage.setAlarm(at));
  }

  async onAlarm(): Promise<void> {
    this.#alarmAt = null;
    await this.storeNow();
  }

  /**
   * Stores what D1 doesn't have, or deletes the conversation if its deletion was started: one run at a time, because a
   * batch in flight would insert deleted rows again. Calls during a run share the next one: while D1 stands still, each run
   * takes a whole wait. Resolves when D1 has everything, or when it could not be reached and an alarm will
   * retry.
   */
  storeNow(): Promise<void> {
    this.#next ??= this.#storing.then(() => {
      this.#next = null;
      return this.#storeAll();
    });
    this.#storing = this.#next;
    return this.#storing;
  }

  async #storeAll(): Promise<void> {
    const { deletedId } = this.#store;
    // Before the conversation, so that both are written at once.
    const isSettled = await this.#attempt("settling a question failed", async () => {
      await within(SETTLE_WITHIN_MS, this.#followUps.settleQuestion());
    });
    // Each on its own: a database that is away must not hold up what goes to the other.
    const results =
      deletedId === null
        ? [
            await this.#attempt("storing a conversation failed", () => this.#storeConversation()),
            await this.#attempt("storing a conversation's audit entries failed", () => this.#storeAuditEntries()),
            await this.#attempt("checking for an away message failed", () => this.#sendAwayMessage()),
            isSettled && !this.#store.hasQuestionToSettle(),
            await this.#attempt("queueing a notification failed", () => this.#queuePush()),
          ]
        : [await this.#attempt("deleting a conversation failed", () => this.#delete(deletedId))];
    if (results.every((isDone) => isDone)) {
      this.#failures = 0;
      return;
    }
    const delay = retryDelay(this.#failures);
    this.#failures += 1;
    // A new message waits for the retry too, but not if only the main database is away.
    this.#retryAt = results[0] ? 0 : Date.now() + delay;
    this.storeSoon(delay);
  }

  async #attempt(failed: string, run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      const sessionId = this.#store.deletedId ?? this.#store.session?.session_id;
      logError(failed, error, { session_id: sessionId, failures: this.#failures });
      return false;
    }
  }

  async #storeConversation(): Promise<void> {
    if (!this.#store.hasUnstored()) return;
    const supportDb = connectSupport(this.#env.DB_SUPPORT);
    let count = 0;
    for (let session = this.#store.session; session && this.#store.hasUnstored(); session = this.#store.session) {
      const messages = this.#store.unstoredMessages(STORE_BATCH);
      const triage = this.#store.triage.toStore(session.stored_version);
      await storeConversation(supportDb, session, messages, triage);
      // Before it counts as stored, so that a failed hint is retried with the rest.
      await this.#env.SUPPORT_DESK.getByName(DESK_NAME).hint(session.session_id);
      this.#store.markStored(session.version, messages.at(-1)?.seq ?? session.stored_seq);
      count += messages.length;
    }
    this.#storedAt = Date.now();
    this.#storedMessages = count;
  }

  async #storeAuditEntries(): Promise<void> {
    const { session, triage } = this.#store;
    const entries = triage.audit.pending();
    if (!session || entries.length === 0) return;
    await storeAuditEntries(connect(this.#env.DB), session.session_id, entries);
    triage.audit.delete(entries);
  }

  async #sendAwayMessage(): Promise<void> {
    if (await this.#followUps.sendAwayMessage()) this.storeSoon();
  }

  async #queuePush(): Promise<void> {
    const due = await this.#followUps.queuePush();
    if (due !== null) this.wakeAt(due);
  }

  async #delete(sessionId: string): Promise<void> {
    await deleteRoom(this.#ctx, this.#env, this.#store, sessionId);
    this.#alarmAt = null;
  }

  #writeDelay(): number {
    const now = Date.now();
    return Math.max(writeDelay(now - this.#storedAt, this.#storedMessages, Math.random()), this.#retryAt - now);
  }
}
