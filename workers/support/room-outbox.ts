import { isOnTeam } from "#app/accounts/profile/team-members.server.ts";
import { connect, connectSupport, type Db } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import { queuePush, wakePushDispatcher } from "#app/push/queue-push.server.ts";
import { replyNotification } from "#app/support/email/reply-notification.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { retryDelay, writeDelay } from "#app/support/room/outbox-delays.ts";
import type { RoomStore } from "#app/support/room/room-store.server.ts";
import { STORE_BATCH, storeAuditEntries, storeConversation } from "#app/support/room/stored-conversations.server.ts";
import { respondBy, type SupportSettings } from "#app/support/team/business-hours.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";
import { deleteRoom } from "./room-deletion.ts";

/** How long a reply stays unread before its visitor gets a notification. */
export const PUSH_AFTER_MS = 3000;
/** How long a message waits at most for what is decided about its question. */
const SETTLE_WITHIN_MS = 2000;
/** How long the settings are cached. */
const SETTINGS_TTL_MS = 60_000;

type Events = {
  /** The settings may say that the team is away. */
  checkedAway: (settings: SupportSettings, now: number) => void;
  assigned: () => void;
};

/** Copies a room's changes, and its deletion, to D1 from an alarm, and retries while D1 cannot be reached. */
export class RoomOutbox {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #store: RoomStore;
  #alarmAt: number | null = null;
  #storing: Promise<void> = Promise.resolve();
  /** The run that has not begun yet. */
  #next: Promise<void> | null = null;
  #failures = 0;
  // In memory only: a room is evicted after a quiet period, when the next write may go out at once.
  #storedAt = 0;
  #storedMessages = 0;
  #retryAt = 0;
  #settings: { value: SupportSettings; readAt: number } | null = null;
  readonly #on: Events;

  constructor(ctx: DurableObjectState, env: Env, store: RoomStore, on: Events) {
    this.#on = on;
    this.#ctx = ctx;
    this.#env = env;
    this.#store = store;
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
      await within(SETTLE_WITHIN_MS, this.#settleQuestion());
    });
    // Each on its own: a database that is away must not hold up what goes to the other.
    const results =
      deletedId === null
        ? [
            await this.#attempt("storing a conversation failed", () => this.#storeConversation()),
            await this.#attempt("storing a conversation's audit entries failed", () => this.#storeAuditEntries()),
            await this.#attempt("checking for an away message failed", () => this.#checkAway()),
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

  /** Responds to the visitor's last message with the away message, if the team is away. */
  async #checkAway(): Promise<void> {
    const message = this.#store.messageToCheck();
    if (!message) return;
    const settings = await this.#readSettings(connect(this.#env.DB));
    this.#store.markAwayChecked(message.seq);
    this.#on.checkedAway(settings, Date.now());
  }

  /** Decides by when the question of an unanswered case is to be answered, and by whom. */
  async #settleQuestion(): Promise<void> {
    if (!this.#store.hasQuestionToSettle()) return;
    const db = connect(this.#env.DB);
    const settings = await this.#readSettings(db);
    const { triage } = this.#store;
    const askedAt = triage.questionToSettle();
    if (askedAt !== null) triage.setRespondBy(askedAt, respondBy(settings, askedAt));
    const no = triage.caseForTurn();
    if (no === null) return;
    const from = triage.state.assignee;
    // Somebody who has left the team would never see the question.
    const isKept = from !== null && (await isOnTeam(db, from.id));
    const takesTurn = !isKept && settings.assignsInTurn;
    const next = takesTurn ? await this.#env.SUPPORT_DESK.getByName(DESK_NAME).takeTurn() : null;
    if (this.#store.session && triage.takeTurn(no, { from, to: isKept ? from : next })) this.#on.assigned();
  }

  /** Queues a notification of replies that stay unread. Somebody who has the conversation open reads them at once. */
  async #queuePush(): Promise<void> {
    const replies = this.#store.repliesToPush();
    const [first, last] = [replies[0], replies.at(-1)];
    const { session } = this.#store;
    if (!session || !first || !last) return;
    const due = first.created_at + PUSH_AFTER_MS;
    if (Date.now() < due) {
      this.wakeAt(due);
      return;
    }
    const db = connect(this.#env.DB);
    const { queue } = queuePush(db, session.session_id, {
      event: `reply:${session.epoch}:${last.seq}`,
      kind: "reply",
      content: replyNotification(last, { isAccount: session.user_id !== null }),
      now: Date.now(),
    });
    const queued = await queue;
    this.#store.triage.markPushed(last.seq);
    if (queued.length > 0) await wakePushDispatcher(this.#env);
  }

  async #delete(sessionId: string): Promise<void> {
    await deleteRoom(this.#ctx, this.#env, this.#store, sessionId);
    this.#alarmAt = null;
  }

  #writeDelay(): number {
    const now = Date.now();
    return Math.max(writeDelay(now - this.#storedAt, this.#storedMessages, Math.random()), this.#retryAt - now);
  }

  async #readSettings(db: Db): Promise<SupportSettings> {
    const now = Date.now();
    if (!this.#settings || now - this.#settings.readAt > SETTINGS_TTL_MS) {
      this.#settings = { value: await readSettings(db), readAt: now };
    }
    return this.#settings.value;
  }
}
