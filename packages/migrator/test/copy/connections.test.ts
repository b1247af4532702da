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
  const rows = Array.from({ length: 2001 }, (_, index) => patternRow(`p${index}`, BigInt(index + 1)));
  const equal = { exit_code: 0, verified: true };

  test.each([
    ["few rows need two: one for the lock, one to read and write", 1, 2],
    ["more rows are written over two, one of which also reads", 2001, 3],
  ])("%s", async (_, count, needed) => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "source.db"), { patterns: rows.slice(0, count) });
    const server = await counted(postgres.url);
    expect(await copyData(source, server.url, { schema })).toMatchObject(equal);
    expect(server.connections()).toBe(needed);
  });

  test("uses two for a copy with nothing to do or with replace; one for a dry run and for a source", async () => {
    const schema = newSchema();
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "source.db"), { patterns: rows.slice(0, 1) });
    const other = makeDatabase(join(folder, "other.db"), { patterns: [patternRow("p0", 1n, { context: "{}" })] });
    await copyData(source, postgres.url, { schema });
    const needed = async (from: string, into: string, options: object): Promise<number> => {
      const server = await counted(postgres.url);
      const places = [from, into].map((place) => (place === "server" ? server.url : place)) as [string, string];
      expect(await copyData(...places, { schema, ...options })).toMatchObject({ exit_code: 0 });
      return server.connections();
    };
    expect(await needed(source, "server", {})).toBe(2);
    expect(await needed(other, "server", { replace: true })).toBe(2);
    expect(await needed(other, "server", { dryRun: true })).toBe(1);
    expect(await needed("server", join(folder, "back.db"), {})).toBe(1);
  });
});
