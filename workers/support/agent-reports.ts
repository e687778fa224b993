import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import type { SocketIdentity } from "#app/support/protocol/identity.ts";
import type { RoomSockets } from "./sockets/room-sockets.ts";

/** Tells the desk which agents have sockets in this room, so that it can close them when their session ends. */
export class AgentReports {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #sockets: RoomSockets;
  #reporting: Promise<void> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env, sockets: RoomSockets) {
    this.#ctx = ctx;
    this.#env = env;
    this.#sockets = sockets;
  }

  /** Reports whether this agent is here, one report after the other, so that the last one tells the latest state. */
  async report({ side, authSession }: SocketIdentity): Promise<void> {
    const room = this.#ctx.id.name;
    if (side !== "admin" || !authSession || room === undefined) return;
    const { userId } = authSession;
    const reported = this.#reporting.then(async () => {
      const isHere = this.#sockets.hasAgent(userId);
      await this.#env.SUPPORT_DESK.getByName(DESK_NAME).setAgentRoom(userId, room, isHere);
    });
    this.#reporting = reported.catch(() => {});
    await reported;
  }
}
