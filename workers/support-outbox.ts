import { connect } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { storeAfter, storeDelay } from "#app/support/back-off.ts";
import { deleteConversation, STORE_BATCH, storeConversation } from "#app/support/conversations.server.ts";
import { DESK_NAME } from "#app/support/identity.ts";
import type { RoomStore } from "#app/support/room-store.server.ts";

/** A room's way into D1: an alarm brings there what D1 has not got, and tries again while D1 is away. */
export class RoomOutbox {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #store: RoomStore;
  #alarmSet = false;
  #storing: Promise<void> = Promise.resolve();
  #failures = 0;
  /** Forgotten with the room's memory, which is when it had been quiet. */
  #storedAt = 0;

  constructor(ctx: DurableObjectState, env: Env, store: RoomStore) {
    this.#ctx = ctx;
    this.#env = env;
    this.#store = store;
    // The alarm of a room that was cut off in the middle of storing may be spent.
    if (store.hasUnstored()) this.storeSoon();
  }

  storeSoon(delayMs = storeAfter(Date.now() - this.#storedAt)): void {
    if (this.#alarmSet) return;
    this.#alarmSet = true;
    this.#ctx.waitUntil(this.#ctx.storage.setAlarm(Date.now() + delayMs));
  }

  async onAlarm(): Promise<void> {
    this.#alarmSet = false;
    this.#storing = this.#storeAll();
    await this.#storing;
  }

  /** Removes the conversation from D1, once the room itself has forgotten it. */
  async forget(sessionId: string): Promise<void> {
    this.#alarmSet = false;
    // A batch on its way to D1 would bring the rows back.
    await this.#storing;
    await deleteConversation(connect(this.#env.DB), sessionId);
  }

  async #storeAll(): Promise<void> {
    const db = connect(this.#env.DB);
    try {
      for (let session = this.#store.session; session && this.#store.hasUnstored(); session = this.#store.session) {
        const messages = this.#store.unstored(STORE_BATCH);
        await storeConversation(db, session, messages);
        // Erased while D1 was busy.
        if (this.#store.session?.epoch !== session.epoch) return;
        this.#store.markStored(session.version, messages.at(-1)?.seq ?? session.stored_seq);
        await this.#env.SUPPORT_DESK.getByName(DESK_NAME).hint(session.session_id);
      }
      this.#failures = 0;
      this.#storedAt = Date.now();
    } catch (error) {
      const delay = storeDelay(this.#failures);
      this.#failures += 1;
      logError("support outbox waits", error, { session_id: this.#store.session?.session_id, retry_ms: delay });
      this.storeSoon(delay);
    }
  }
}
