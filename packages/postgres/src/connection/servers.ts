import { isPerduraError } from "@perdura/internals/errors/errors.js";
import type { PoolClient } from "pg";
import { shownHost } from "./address.ts";
import { connectTimeoutMs } from "./connect_timeout.ts";
import { type Host, hostsOf, targetOf } from "./driver_settings.ts";
import { codeOf, isOccupied, isOfServer, markDriverError, messageOf } from "./failures.ts";
import { givenPool, newPool, type OwnPool, usableClient } from "./new_pool.ts";
import type { CheckedOptions } from "./options.ts";
import type { PostgresPool } from "./pool_types.ts";
import { connected, connectedNow, retryOccupied, rowsOf } from "./statements.ts";

/** A connection, and the pool that it returns to. */
export interface Taken {
  client: PoolClient;
  owner: OwnPool;
}

/** Gives connections. */
export interface Source {
  /** @param since Connections that were opened before this time of `monotonicMs()` are replaced. */
  take(since: number): Promise<Taken>;
  /** Closes the connections, except those of a pool that the caller passed. */
  close(): Promise<void>;
}

/** The pool that a caller passed. */
export class GivenPool implements Source {
  readonly #given: PostgresPool;
  #opened: Promise<OwnPool> | undefined;

  constructor(given: PostgresPool) {
    this.#given = given;
  }

  async take(since: number): Promise<Taken> {
    let owner: OwnPool;
    try {
      owner = await (this.#opened ??= givenPool(this.#given));
    } catch (error) {
      // Retried by the next call, because the server may be reachable then.
      this.#opened = undefined;
      throw error;
    }
    return { owner, client: await usableClient(() => connected(owner.pool), since) };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A server that was tried, and the reason why it is not used. */
interface HostFailure {
  host: Host;
  error: Error;
}

/** No server of an address accepts a connection, or has the properties that it asks for. */
class NoServer extends Error {
  /** The code of a server that accepts no connection now, or of the one after which no further one was tried. */
  readonly code: string | undefined;

  constructor(failures: readonly HostFailure[], decisive: Error | undefined) {
    super(
      failures.map(({ host, error }) => `${shownHost(host.host ?? "", host.port)}: ${messageOf(error)}`).join("; "),
    );
    this.name = "NoServer";
    this.code = codeOf(decisive);
  }
}

/** Values of `target_session_attrs`: which server suits, and the reason to refuse another one. */
const TARGETS: Readonly<Record<string, { suits: (server: ServerState) => boolean; found: string }>> = {
  "read-write": { suits: ({ readOnly }) => !readOnly, found: "it only reads" },
  "read-only": { suits: ({ readOnly }) => readOnly, found: "it also writes" },
  primary: { suits: ({ standby }) => !standby, found: "it is a standby" },
  standby: { suits: ({ standby }) => standby, found: "it is a primary" },
};

interface ServerState {
  standby: boolean;
  readOnly: boolean;
}

/** Settings of an address and of libpq's environment variables. */
interface ServerSettings {
  hosts: readonly Host[];
  target: string;
  /** Longest wait for a connection to one server; 0 for no limit. */
  limitMs: number;
}

/**
 * The servers that an address names. As in libpq, the first one that accepts a connection and has the required properties
 * is used; then also for further connections, until one of them fails or loses these properties.
 */
export class Servers implements Source {
  readonly #address: string | undefined;
  readonly #options: CheckedOptions;
  readonly #pools: Map<number, Promise<OwnPool>> = new Map();
  /** Connections whose server has the required properties. */
  readonly #suitable: WeakSet<PoolClient> = new WeakSet();
  /** Index of the server in use. */
  #current: number | undefined;
  #settings: ServerSettings | undefined;

  /** @param address Undefined to use libpq's environment variables. */
  constructor(address: string | undefined, options: CheckedOptions) {
    this.#address = address;
    this.#options = options;
  }

  async take(since: number): Promise<Taken> {
    this.#settings ??= {
      hosts: hostsOf(this.#address),
      target: targetOf(this.#address),
      limitMs: this.#options.connectTimeoutMs ?? connectTimeoutMs(this.#address),
    };
    const settings = this.#settings;
    return retryOccupied(settings.limitMs, () => this.#first(settings, since));
  }

  async close(): Promise<void> {
    for (const opening of this.#pools.values()) {
      const opened = await opening.catch(() => undefined);
      await opened?.pool.end();
    }
  }

  async #first({ hosts, target, limitMs }: ServerSettings, since: number): Promise<Taken> {
    const inUse = this.#current;
    const order = [...hosts.keys()].toSorted((one, other) => Number(other === inUse) - Number(one === inUse));
    const failures: HostFailure[] = [];
    for (const wanted of target === "prefer-standby" ? ["standby", "any"] : [target])
      for (const index of order) {
        const host = hosts[index] as Host;
        try {
          const client = await this.#clientOf(await this.#opened(index, host, limitMs), wanted, since);
          this.#current = index;
          return client;
        } catch (error) {
          if (!(error instanceof Error) || isPerduraError(error) || (hosts.length === 1 && wanted === "any"))
            throw error;
          failures.push({ host, error });
          if (!isOfServer(error)) throw markDriverError(new NoServer(failures, error), false);
        }
      }
    throw markDriverError(new NoServer(failures, failures.find(({ error }) => isOccupied(error))?.error), false);
  }

  async #opened(index: number, host: Host, limitMs: number): Promise<OwnPool> {
    const opening = this.#pools.get(index) ?? newPool(this.#address, host, this.#options, limitMs);
    this.#pools.set(index, opening);
    try {
      return await opening;
    } catch (error) {
      // Retried by the next call, because the server may be reachable then.
      if (this.#pools.get(index) === opening) this.#pools.delete(index);
      throw error;
    }
  }

  async #clientOf(owner: OwnPool, wanted: string, since: number): Promise<Taken> {
    const client = await usableClient(() => connectedNow(owner.pool), since);
    try {
      if (!this.#suitable.has(client)) await assertSuitable(client, wanted);
      this.#suitable.add(client);
      return { client, owner };
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** Asks a server for its properties. libpq also asks once for each connection. */
async function assertSuitable(client: PoolClient, wanted: string): Promise<void> {
  const target = TARGETS[wanted];
  if (target === undefined) return;
  const [server] = await rowsOf<{ standby: boolean; readOnly: boolean }>(
    client,
    `SELECT pg_is_in_recovery() AS standby,
       pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "readOnly"`,
    [],
    false,
  );
  if (!target.suits(server as ServerState)) throw new Error(`${target.found}, and target_session_attrs is ${wanted}`);
}
