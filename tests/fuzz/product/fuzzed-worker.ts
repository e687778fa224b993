import { type Change, changeOf, recordedDatabase } from "./recorded-database.ts";

/**
 * Wraps the product's worker so that the fuzz sees which rows each request changed, in both databases and in the chat
 * room that it called. `/fuzz/changes` returns and forgets them, `/fuzz/query` runs SQL.
 */

type FuzzedEnv = Record<string, unknown>;
type ProductHandler = Required<Pick<ExportedHandler<FuzzedEnv>, "fetch" | "scheduled">>;
type RoomClass = new (ctx: DurableObjectState, env: FuzzedEnv) => Room;
type Room = { webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> | void };
/** The changes of one request. `status`: 0 until it has a response. */
export type RequestChanges = { status: number; changes: Change[] };

/** The header by which the fuzz tells its requests apart. */
export const CASE_HEADER = "X-Fuzz-Case";

/** Names a frame among the requests, with its number and the start of its text. A frame that got an error has status 400. */
export const FRAME_PREFIX = "frame ";
export const FRAME_NAME_CHARACTERS = 200;
let frames = 0;

const requests = new Map<string, RequestChanges>();
/** The calls that each room is handling, by the room's name. */
const roomCalls = new Map<string, Set<Change[]>>();

export function fuzzHandler(product: ProductHandler): ProductHandler {
  return {
    async fetch(request, env, ctx) {
      const { pathname } = new URL(request.url);
      if (pathname === "/fuzz/changes") return takeChanges();
      if (pathname === "/fuzz/query") return query(request, env);
      const name = request.headers.get(CASE_HEADER);
      if (name === null) return product.fetch(request, env, ctx);
      const entry: RequestChanges = { status: 0, changes: [] };
      requests.set(name, entry);
      const response = await product.fetch(request, recordedEnv(env, entry.changes), ctx);
      entry.status = response.status;
      return response;
    },
    scheduled: product.scheduled,
  };
}

/** Wraps the class of the chat rooms. Attributes what a room writes to the call it handles, if that is the only one. */
export function fuzzRoom(Room: RoomClass): RoomClass {
  return class extends Room {
    constructor(ctx: DurableObjectState, env: FuzzedEnv) {
      const { sql } = ctx.storage;
      const exec = sql.exec.bind(sql);
      const recordedExec = (statement: string, ...values: SqlStorageValue[]) => {
        const cursor = exec(statement, ...values);
        const change = changeOf(statement);
        const calls = [...(roomCalls.get(ctx.id.name ?? "") ?? [])];
        if (change && cursor.rowsWritten > 0 && calls.length === 1) calls[0]?.push(`room: ${change}`);
        return cursor;
      };
      Object.defineProperty(sql, "exec", { value: recordedExec });
      super(ctx, env);
      this.#name = ctx.id.name ?? "";
    }

    readonly #name: string;

    override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
      const entry: RequestChanges = { status: 200, changes: [] };
      const send = socket.send.bind(socket);
      const watchedSend = (data: string | ArrayBuffer) => {
        if (typeof data === "string" && data.startsWith('{"type":"error"')) entry.status = 400;
        send(data);
      };
      Object.defineProperty(socket, "send", { value: watchedSend, configurable: true });
      await attributed(this.#name, entry.changes, async () => super.webSocketMessage(socket, message));
      Reflect.deleteProperty(socket, "send");
      requests.set(`${FRAME_PREFIX}${frames++} ${String(message).slice(0, FRAME_NAME_CHARACTERS)}`, entry);
    }
  };
}

function recordedEnv(env: FuzzedEnv, changes: Change[]): FuzzedEnv {
  const recorded = { ...env };
  for (const name of ["DB", "DB_SUPPORT"]) recorded[name] = recordedDatabase(env[name] as D1Database, changes);
  const rooms = env.SUPPORT_ROOM as DurableObjectNamespace;
  recorded.SUPPORT_ROOM = {
    getByName: (name: string) => recordedRoom(rooms.getByName(name), name, changes),
    idFromName: (name: string) => rooms.idFromName(name),
    idFromString: (id: string) => rooms.idFromString(id),
    get: (id: DurableObjectId) => rooms.get(id),
  };
  return recorded;
}

function recordedRoom(room: DurableObjectStub, name: string, changes: Change[]): DurableObjectStub {
  return new Proxy(room, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      // A method of a stub is a proxy itself: it has no apply().
      const methods = target as unknown as Record<PropertyKey, (...given: unknown[]) => unknown>;
      return (...given: unknown[]) => attributed(name, changes, async () => methods[key]?.(...given));
    },
  });
}

/** Runs `work`, during which that room's writes belong to `changes`. */
async function attributed<T>(room: string, changes: Change[], work: () => Promise<T>): Promise<T> {
  const calls = roomCalls.get(room) ?? new Set();
  roomCalls.set(room, calls.add(changes));
  try {
    return await work();
  } finally {
    calls.delete(changes);
    if (calls.size === 0) roomCalls.delete(room);
  }
}

function takeChanges(): Response {
  const taken = Object.fromEntries([...requests].filter(([, { status }]) => status !== 0));
  for (const name of Object.keys(taken)) requests.delete(name);
  return Response.json(taken);
}

async function query(request: Request, env: FuzzedEnv): Promise<Response> {
  const { binding, sql } = (await request.json()) as { binding: string; sql: string };
  return Response.json((await (env[binding] as D1Database).prepare(sql).all()).results);
}
