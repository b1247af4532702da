import { Client } from "pg";

/** Sends statements on a separate connection; returns the rows of the last one as lists. */
export async function query(url: string, ...statements: string[]): Promise<unknown[][]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown[][] = [];
    for (const text of statements) rows = (await client.query<unknown[]>({ text, rowMode: "array" })).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** A connection that waits in a query, so that a server has an active client; its end is not a failure of the test. */
export async function busyConnection(url: string): Promise<{ pid: number; ended: Promise<unknown> }> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const ended = client.query("SELECT pg_sleep(3600)").catch((error: unknown) => error);
  return { pid: rows[0]?.pid ?? 0, ended };
}
