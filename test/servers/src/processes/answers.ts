import { connect } from "node:net";

/** Startup packet of protocol version 3.0, with user and database. */
const STARTUP = startupPacket("user\0postgres\0database\0postgres\0\0");

/** Milliseconds that a server may take for each piece of its answer. */
const PATIENCE = 5000;

/** True if a server accepts clients at this moment: connects like a client, up to `ReadyForQuery`. */
export function answers(port: number): Promise<boolean> {
  return new Promise((settle) => {
    let received = Buffer.alloc(0);
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(STARTUP));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const kinds = messageKinds(received);
      if (!/[EZ]/.test(kinds)) return;
      settle(kinds.includes("Z"));
      socket.end("X\0\0\0\u0004");
    });
    socket.setTimeout(PATIENCE, () => socket.destroy());
    // Refused or aborted: not ready.
    socket.on("error", () => settle(false));
    socket.on("close", () => settle(false));
  });
}

function startupPacket(parameters: string): Buffer {
  const packet = Buffer.alloc(8 + parameters.length);
  packet.writeInt32BE(packet.length, 0);
  packet.writeInt32BE(3 << 16, 4);
  packet.write(parameters, 8, "latin1");
  return packet;
}

/** The types of all complete messages so far. */
function messageKinds(received: Buffer): string {
  let kinds = "";
  for (let at = 0; at + 5 <= received.length;) {
    const next = at + 1 + received.readInt32BE(at + 1);
    if (next > received.length) break;
    kinds += String.fromCharCode(received[at] as number);
    at = next;
  }
  return kinds;
}
