import { connect, createServer, type Socket } from "node:net";

export type Direction = "up" | "down";
type Connection = {
  dropped: Set<Direction>;
  held: Map<Direction, Buffer[]>;
  isWebSocket: boolean;
  pass(direction: Direction, chunk: Buffer): void;
};

const BOTH: readonly Direction[] = ["up", "down"];

/**
 * Starts a TCP proxy in front of `port` that can drop one direction of an open connection, as a dead connection does, or
 * hold it, as a slow one does.
 */
export async function startOneWayProxy(port: number) {
  const connections = new Set<Connection>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    const connection: Connection = {
      dropped: new Set(),
      held: new Map(),
      isWebSocket: false,
      pass: (direction, chunk) => (direction === "up" ? upstream : client).write(chunk),
    };
    connections.add(connection);
    const pass = (from: Socket, to: Socket, direction: Direction) => {
      sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (chunk) => {
        if (direction === "up" && /^upgrade: websocket/im.test(chunk.toString("latin1"))) connection.isWebSocket = true;
        if (connection.dropped.has(direction)) return;
        const held = connection.held.get(direction);
        if (held) held.push(chunk);
        else connection.pass(direction, chunk);
      });
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        // The other end of a dead connection does not notice.
        if (connection.dropped.size > 0 || connection.held.size > 0) return;
        connections.delete(connection);
        to.destroy();
      });
    };
    pass(client, upstream, "up");
    pass(upstream, client, "down");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const openWebSockets = () => [...connections].filter(({ isWebSocket, dropped }) => isWebSocket && dropped.size === 0);
  return {
    port: typeof address === "object" && address ? address.port : 0,
    /** Starts dropping one random direction of every n-th open connection. Returns the number of those connections. */
    dropOneWay(every: number): number {
      const open = [...connections].filter(({ dropped }) => dropped.size === 0);
      const chosen = open.filter((_, at) => at % every === 0);
      for (const { dropped } of chosen) dropped.add(Math.random() < 0.5 ? "up" : "down");
      return chosen.length;
    },
    /** Drops what the open WebSockets send from now on. Those opened later work. */
    drop(directions: readonly Direction[] = BOTH): void {
      for (const { dropped } of openWebSockets()) for (const direction of directions) dropped.add(direction);
    },
    /** Holds what the open WebSockets send until the returned function is called. Those opened later work. */
    hold(directions: readonly Direction[] = BOTH): () => void {
      const chosen = openWebSockets();
      for (const { held } of chosen) for (const direction of directions) held.set(direction, []);
      return () => {
        for (const { held, pass } of chosen) {
          for (const [direction, chunks] of held) for (const chunk of chunks) pass(direction, chunk);
          held.clear();
        }
      };
    },
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
