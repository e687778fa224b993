import { connect, connectSupport, type Db } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { retryDelay, writeDelay } from "#app/support/room/outbox-delays.ts";
import type { RoomStore } from "#app/support/room/room-store.server.ts";
import { STORE_BATCH, storeAuditEntries, storeConversation } from "#app/support/room/stored-conversations.server.ts";
import type { SupportSettings } from "#app/support/team/business-hours.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";
import { deleteRoom } from "./room-deletion.ts";

/** How long the settings are cached. */
const SETTINGS_TTL_MS = 60_000;

/** Copies a room's changes, and its deletion, to D1 from an alarm, and retries while D1 cannot be reached. */
export class RoomOutbox {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #store: RoomStore;
  #alarmSet = false;
  #storing: Promise<void> = Promise.resolve();
  #failures = 0;
  // In memory only: a room is evicted after a quiet period, when the next write may go out at once.
  #storedAt = 0;
  #storedMessages = 0;
  #settings: { value: SupportSettings; readAt: number } | null = null;
  readonly #onVisitorMessages: (settings: SupportSettings, now: number) => void;

  /** `onVisitorMessages` runs after a visitor's messages reached D1. Messages that it adds are stored too. */
  constructor(
    ctx: DurableObjectState,
    env: Env,
    store: RoomStore,
    onVisitorMessages: (settings: SupportSettings, now: number) => void,
  ) {
    this.#onVisitorMessages = onVisitorMessages;
    this.#ctx = ctx;
    this.#env = env;
    this.#store = store;
    // A room interrupted while storing may have used up its alarm.
    if (store.hasUnstored() || store.deletedId !== null) this.storeSoon();
  }

  storeSoon(delayMs = writeDelay(Date.now() - this.#storedAt, this.#storedMessages, Math.random())): void {
    if (this.#alarmSet) return;
    this.#alarmSet = true;
    this.#ctx.waitUntil(this.#ctx.storage.setAlarm(Date.now() + delayMs));
  }

  async onAlarm(): Promise<void> {
    this.#alarmSet = false;
    await this.storeNow();
  }

  /**
   * Stores what D1 doesn't have, or deletes the conversation if its deletion was started: one run at a time, because a
   * batch in flight would insert deleted rows again. Resolves when D1 has everything, or when it could not be reached
   * and an alarm will retry.
   */
  async storeNow(): Promise<void> {
    this.#storing = this.#storing.then(() => this.#storeAll());
    await this.#storing;
  }

  async #storeAll(): Promise<void> {
    try {
      if (this.#store.deletedId === null) await this.#storeConversation();
      else {
        await deleteRoom(this.#ctx, this.#env, this.#store, this.#store.deletedId);
        this.#alarmSet = false;
      }
      this.#failures = 0;
    } catch (error) {
      const delay = retryDelay(this.#failures);
      this.#failures += 1;
      logError("storing a conversation failed", error, {
        session_id: this.#store.deletedId ?? this.#store.session?.session_id,
        retry_ms: delay,
      });
      this.storeSoon(delay);
    }
  }

  async #storeConversation(): Promise<void> {
    const db = connect(this.#env.DB);
    const supportDb = connectSupport(this.#env.DB_SUPPORT);
    let count = 0;
    for (let session = this.#store.session; session && this.#store.hasUnstored(); session = this.#store.session) {
      const messages = this.#store.unstoredMessages(STORE_BATCH);
      const triage = this.#store.triage.toStore(session.stored_version);
      await storeConversation(supportDb, session, messages, triage);
      await storeAuditEntries(db, session, triage.auditEntries);
      // Before it counts as stored, so that a failed hint is retried with the rest.
      await this.#env.SUPPORT_DESK.getByName(DESK_NAME).hint(session.session_id);
      // The conversation ended during the write.
      if (this.#store.hasEnded) return;
      this.#store.markStored(session.version, messages.at(-1)?.seq ?? session.stored_seq);
      count += messages.length;
      if (messages.some(isFromVisitor)) this.#onVisitorMessages(await this.#readSettings(db), Date.now());
    }
    this.#storedAt = Date.now();
    this.#storedMessages = count;
  }

  async #readSettings(db: Db): Promise<SupportSettings> {
    const now = Date.now();
    if (!this.#settings || now - this.#settings.readAt > SETTINGS_TTL_MS) {
      this.#settings = { value: await readSettings(db), readAt: now };
    }
    return this.#settings.value;
  }
}

function isFromVisitor({ sender_type }: SupportMessage): boolean {
  return sender_type === "user";
}
