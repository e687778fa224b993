import { connect, createServer, type Socket } from "node:net";

export type Direction = "up" | "down";

/**
 * Starts a TCP proxy in front of `port` that can drop one direction of an open connection, as a dead connection does.
 */
export async function startOneWayProxy(port: number) {
  const connections = new Set<{ dropped: Direction | null }>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    const connection = { dropped: null as Direction | null };
    connections.add(connection);
    const pass = (from: Socket, to: Socket, direction: Direction) => {
      sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (chunk) => {
        if (connection.dropped !== direction) to.write(chunk);
      });
      from.on("error", () => {});
      from.on("close", () => {
        connections.delete(connection);
        sockets.delete(from);
        // The other end of a dead connection does not notice.
        if (connection.dropped === null) to.destroy();
      });
    };
    pass(client, upstream, "up");
    pass(upstream, client, "down");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    /** Starts dropping one random direction of every n-th open connection. Returns the number of those connections. */
    dropOneWay(every: number): number {
      const open = [...connections].filter((connection) => connection.dropped === null);
      const chosen = open.filter((_, at) => at % every === 0);
      for (const connection of chosen) connection.dropped = Math.random() < 0.5 ? "up" : "down";
      return chosen.length;
    },
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
