import { connect, connectSupport, type Db } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { retryDelay, writeDelay } from "#app/support/room/outbox-delays.ts";
import type { RoomStore } from "#app/support/room/room-store.server.ts";
import {
  deleteConversation,
  STORE_BATCH,
  storeAuditEntries,
  storeConversation,
} from "#app/support/room/stored-conversations.server.ts";
import type { SupportSettings } from "#app/support/team/business-hours.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";

/** Settings are read anew after this. */
const SETTINGS_KNOWN_MS = 60_000;

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
  #storedMessages = 0;
  #settings: { value: SupportSettings; readAt: number } | null = null;
  readonly #onAsked: (settings: SupportSettings, now: number) => void;

  /** `onAsked`: after a visitor's messages came to D1; it may say something to them, which is stored too. */
  constructor(
    ctx: DurableObjectState,
    env: Env,
    store: RoomStore,
    onAsked: (settings: SupportSettings, now: number) => void,
  ) {
    this.#onAsked = onAsked;
    this.#ctx = ctx;
    this.#env = env;
    this.#store = store;
    // The alarm of a room that was cut off in the middle of storing may be spent.
    if (store.hasUnstored()) this.storeSoon();
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

  /** Answers when D1 has everything, or could not be reached and an alarm is set to try again. */
  async storeNow(): Promise<void> {
    this.#storing = this.#storing.then(() => this.#storeAll());
    await this.#storing;
  }

  /** Removes the conversation from D1, once the room itself has forgotten it. */
  async forget(sessionId: string): Promise<void> {
    this.#alarmSet = false;
    // A batch on its way to D1 would bring the rows back.
    await this.#storing;
    await deleteConversation(connectSupport(this.#env.DB_SUPPORT), sessionId);
    await this.#env.SUPPORT_DESK.getByName(DESK_NAME).hint(sessionId);
  }

  async #storeAll(): Promise<void> {
    const db = connect(this.#env.DB);
    const supportDb = connectSupport(this.#env.DB_SUPPORT);
    let count = 0;
    try {
      for (let session = this.#store.session; session && this.#store.hasUnstored(); session = this.#store.session) {
        const messages = this.#store.unstored(STORE_BATCH);
        const handled = this.#store.triage.unstored(session.stored_version);
        await storeConversation(supportDb, session, messages, { ...this.#store.triage.snapshot(), ...handled });
        await storeAuditEntries(db, session, handled.auditEntries);
        // Before it counts as stored: a hint that does not get through is tried again with the rest.
        await this.#env.SUPPORT_DESK.getByName(DESK_NAME).hint(session.session_id);
        // Erased while D1 was busy.
        if (this.#store.session?.epoch !== session.epoch) return;
        this.#store.markStored(session.version, messages.at(-1)?.seq ?? session.stored_seq);
        count += messages.length;
        if (messages.some(isAsked)) this.#onAsked(await this.#readSettings(db), Date.now());
      }
      this.#failures = 0;
      this.#storedAt = Date.now();
      this.#storedMessages = count;
    } catch (error) {
      const delay = retryDelay(this.#failures);
      this.#failures += 1;
      logError("support outbox waits", error, { session_id: this.#store.session?.session_id, retry_ms: delay });
      this.storeSoon(delay);
    }
  }

  async #readSettings(db: Db): Promise<SupportSettings> {
    const now = Date.now();
    if (!this.#settings || now - this.#settings.readAt > SETTINGS_KNOWN_MS) {
      this.#settings = { value: await readSettings(db), readAt: now };
    }
    return this.#settings.value;
  }
}

function isAsked({ sender_type }: SupportMessage): boolean {
  return sender_type === "user";
}
