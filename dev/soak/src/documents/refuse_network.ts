import dns from "node:dns";
import net from "node:net";

/**
 * Refuses every connection: the addresses are hostile, so no server may be contacted. It fails like a connection to a
 * server that does not listen.
 */
export function refuseNetwork(): void {
  net.Socket.prototype.connect = function refuse(this: net.Socket): net.Socket {
    const error = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
    process.nextTick(() => this.destroy(error));
    return this;
  } as typeof net.Socket.prototype.connect;
  const unknown = (...given: unknown[]): void => {
    const answer = given.at(-1) as (error: Error) => void;
    process.nextTick(answer, Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }));
  };
  dns.lookup = unknown as unknown as typeof dns.lookup;
}
