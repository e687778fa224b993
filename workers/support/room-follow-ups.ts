import { isOnTeam } from "#app/accounts/profile/team-members.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { queuePush, wakePushDispatcher } from "#app/push/queue-push.server.ts";
import { replyNotification } from "#app/support/email/reply-notification.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import type { RoomStore } from "#app/support/room/room-store.server.ts";
import { awayText, respondBy } from "#app/support/team/business-hours.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";
import type { SupportSettings } from "#app/support/team/team-settings.ts";
import type { RoomConsole } from "./room-console.ts";
import type { RoomSockets } from "./sockets/room-sockets.ts";

/** How long a reply stays unread before its visitor gets a notification. */
export const PUSH_AFTER_MS = 3000;
/** How long the settings are cached. */
const SETTINGS_TTL_MS = 60_000;

/**
 * What follows from a message and needs the main database: when and by whom a question is to be answered, the away message,
 * and notifications of replies. The outbox runs it. Each follow-up throws if a database is away, and can be repeated.
 */
export class RoomFollowUps {
  readonly #env: Env;
  readonly #store: RoomStore;
  readonly #sockets: RoomSockets;
  readonly #console: RoomConsole;
  #settings: { value: SupportSettings; readAt: number } | null = null;

  constructor(env: Env, store: RoomStore, sockets: RoomSockets, console: RoomConsole) {
    this.#env = env;
    this.#store = store;
    this.#sockets = sockets;
    this.#console = console;
  }

  /** Decides by when the question of an unanswered case is to be answered, and by whom. */
  async settleQuestion(): Promise<void> {
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
    if (this.#store.session && triage.takeTurn(no, { from, to: isKept ? from : next })) this.#console.broadcastTriage();
  }

  /** Answers the visitor's last message with the away message, if the team is away. Resolves to whether it did. */
  async sendAwayMessage(): Promise<boolean> {
    const unchecked = this.#store.messageToCheck();
    if (!unchecked) return false;
    const settings = await this.#readSettings(connect(this.#env.DB));
    this.#store.markAwayChecked(unchecked.seq);
    const now = Date.now();
    const away = awayText(settings, now);
    if (away === null || !this.#store.session || this.#sockets.presence(null).agents > 0) return false;
    const message = this.#store.addBotMessage(away.clientId, away.message, now);
    if (message) this.#sockets.broadcast({ type: "message", message }, null);
    return message !== null;
  }

  /**
   * Queues a notification of replies that stay unread. Somebody who has the conversation open reads them at once. Resolves
   * to when to try again, in ms since 1970, or null.
   */
  async queuePush(): Promise<number | null> {
    const replies = this.#store.repliesToPush();
    const [first, last] = [replies[0], replies.at(-1)];
    const { session } = this.#store;
    if (!session || !first || !last) return null;
    const due = first.created_at + PUSH_AFTER_MS;
    if (Date.now() < due) return due;
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
    return null;
  }

  async #readSettings(db: Db): Promise<SupportSettings> {
    const now = Date.now();
    if (!this.#settings || now - this.#settings.readAt > SETTINGS_TTL_MS) {
      this.#settings = { value: await readSettings(db), readAt: now };
    }
    return this.#settings.value;
  }
}
