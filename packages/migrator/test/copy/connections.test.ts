import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, onTestFinished, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { makeDatabase, newSchema, patternRow } from "./both_sides.ts";

/** A proxy in front of a server that counts its connections. */
async function counted(url: string): Promise<{ url: string; connections: () => number }> {
  const { hostname, port } = new URL(url);
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const onward = connect(Number(port), hostname);
    socket.pipe(onward).pipe(socket);
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      end.on("error", () => other.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return { url: through.href, connections: () => connections };
}

describeWithPostgres("connections of a copy", (postgres) => {
  test("few rows need three: one keeps other copies out, one reads, one writes", async () => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "source.db"), { patterns: [patternRow("p", 1n)] });
    const server = await counted(postgres.url);
    expect(await copyData(source, server.url, { schema })).toMatchObject({ exit_code: 0, verified: true });
    expect(server.connections()).toBe(3);
  });
});
