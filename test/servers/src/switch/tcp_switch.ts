import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A port that leads to one of several servers, like the name of a database that an administrator points to another
 * server: new connections lead to the current one, and existing connections stay where they are.
 */
export interface TcpSwitch {
  readonly port: number;
  /** Sends new connections to another port of 127.0.0.1. */
  pointTo(port: number): void;
  /** Closes all connections. */
  stop(): Promise<void>;
}

/** @param first The port of the first server. */
export async function startTcpSwitch(first: number): Promise<TcpSwitch> {
  let current = first;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => other.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const listener = createServer((client) => {
    const server = connect(current, "127.0.0.1");
    keep(client, server);
    keep(server, client);
    client.pipe(server).pipe(client);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    pointTo: (port) => {
      current = port;
    },
    stop: async () => {
      listener.close();
      for (const socket of sockets) socket.destroy();
      await once(listener, "close");
    },
  };
}
