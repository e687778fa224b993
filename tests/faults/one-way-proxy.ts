import { connect, createServer, type Socket } from "node:net";

export type Direction = "up" | "down";

/** A TCP proxy before `port` that can let a connection stand and swallow all that goes one way, as dead lines do. */
export async function startOneWayProxy(port: number) {
  const lines = new Set<{ swallowed: Direction | null }>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    const line = { swallowed: null as Direction | null };
    lines.add(line);
    const pass = (from: Socket, to: Socket, direction: Direction) => {
      sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (chunk) => {
        if (line.swallowed !== direction) to.write(chunk);
      });
      from.on("error", () => {});
      from.on("close", () => {
        lines.delete(line);
        sockets.delete(from);
        // On a dead line the other end does not hear of it.
        if (line.swallowed === null) to.destroy();
      });
    };
    pass(client, upstream, "up");
    pass(upstream, client, "down");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    /** Kills every so-manieth open connection, each in one direction. Answers how many. */
    swallow(every: number): number {
      const open = [...lines].filter((line) => line.swallowed === null);
      const chosen = open.filter((_, at) => at % every === 0);
      for (const line of chosen) line.swallowed = Math.random() < 0.5 ? "up" : "down";
      return chosen.length;
    },
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
