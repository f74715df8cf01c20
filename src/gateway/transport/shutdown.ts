/** How a server stops: connections on which nothing is under way end at once, the others when their answer is out. */
import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface ServerShutdown {
  /** Called with every request as it begins. */
  readonly begun: (socket: Socket, response: ServerResponse) => void;
  /** Takes no more requests, waits for those under way, and ends them where they take longer than `drainMs`. */
  readonly stop: (drainMs: number) => Promise<void>;
}

/** Node's own closing of idle connections leaves out those that never had a request. */
export function createServerShutdown(server: Server): ServerShutdown {
  const idle = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    idle.add(socket);
    socket.once("close", () => idle.delete(socket));
  });
  return {
    begun: (socket, response) => {
      idle.delete(socket);
      response.once("close", () => {
        if (!server.listening) socket.destroySoon();
        else if (!socket.destroyed) idle.add(socket);
      });
    },
    stop: async (drainMs) => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of idle) socket.destroy();
      const late = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearTimeout(late);
    },
  };
}
