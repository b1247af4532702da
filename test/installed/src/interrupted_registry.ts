import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy of a registry that interrupts a release at a moment that a test chooses. */
export interface InterruptedRegistry {
  url: string;
  close(): void;
}

/**
 * Forwards every request, except for the publication of a package after this number of others: then `interrupt` is
 * called, and the registry does not receive it.
 */
export async function interruptedRegistry(
  registry: string,
  published: number,
  interrupt: (response: ServerResponse) => void,
): Promise<InterruptedRegistry> {
  let seen = 0;
  const server = createServer((incoming, response) => {
    if (incoming.method === "PUT" && seen++ >= published) interrupt(response);
    else handOn(registry, incoming, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function handOn(registry: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = "/" } = incoming;
  const outgoing = request(new URL(url, registry), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.once("error", () => response.destroy());
  incoming.pipe(outgoing);
}
