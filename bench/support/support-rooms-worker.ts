import { DurableObject } from "cloudflare:workers";
import { type Connection, Server } from "partyserver";
import { encodeIdentity, IDENTITY_HEADER } from "#app/support/protocol/identity.ts";
import { SupportRoom } from "#workers/support/support-room.ts";

export { SupportDesk } from "#workers/support/support-desk.ts";

/** Our room beside two others in one workerd: a bare one, the lower bound of the cost, and one built on partyserver. */

interface BenchEnv extends Env {
  BARE: DurableObjectNamespace<BareRoom>;
  PARTY: DurableObjectNamespace<PartyRoom>;
}

let statements = 0;

/** The real room, with its D1 statements counted. */
export class CountedRoom extends SupportRoom {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, { ...env, DB: counted(env.DB), DB_SUPPORT: counted(env.DB_SUPPORT) });
  }
}

/** Hibernates, broadcasts every frame and stores nothing. */
export class BareRoom extends DurableObject<Env> {
  override async fetch(): Promise<Response> {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(_: WebSocket, frame: string): void {
    for (const socket of this.ctx.getWebSockets()) socket.send(frame);
  }
}

/** Stores each message, then broadcasts it. */
export class PartyRoom extends Server<Env> {
  static override options = { hibernate: true };

  override onStart(): void {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  }

  override onMessage(_: Connection, frame: string): void {
    this.ctx.storage.sql.exec("INSERT INTO messages (body) VALUES (?)", frame);
    this.broadcast(frame);
  }
}

export default {
  async fetch(request, env) {
    const [, kind, name = "", side] = new URL(request.url).pathname.split("/");
    if (kind === "statements") return new Response(String(statements));
    if (kind === "bare") return env.BARE.getByName(name).fetch(request);
    if (kind === "party") {
      const headers = new Headers(request.headers);
      headers.set("x-partykit-room", name);
      return env.PARTY.getByName(name).fetch(new Request(request, { headers }));
    }
    const room = env.SUPPORT_ROOM.getByName(name);
    await room.open({ sessionId: name, userId: null, name: "Visitor", email: null });
    const identity = {
      side: side === "user" ? "user" : "admin",
      author: side ?? "",
      name: "Bench",
      authSession: null,
    } as const;
    const headers = { Upgrade: "websocket", [IDENTITY_HEADER]: encodeIdentity(identity) };
    return room.fetch("https://room/?since=0", { headers });
  },
} satisfies ExportedHandler<BenchEnv>;

function counted(database: D1Database): D1Database {
  return new Proxy(database, {
    get(target, name) {
      if (name === "batch") {
        return (batch: D1PreparedStatement[]) => {
          statements += batch.length;
          return target.batch(batch);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
