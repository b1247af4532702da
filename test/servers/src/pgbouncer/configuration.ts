/**
 * The text of `pgbouncer.ini` for a pooler that accepts every client and forwards everything to one server, each
 * transaction to any of its connections.
 *
 * @param serverUrl Its host, user and password are used for all databases.
 * @param settings Additional lines of the section `pgbouncer`, by name.
 */
export function configuration(serverUrl: string, port: number, settings: Record<string, string>): string {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const target = {
    host: hostname.replaceAll(/[[\]]/g, ""),
    port: serverPort === "" ? "5432" : serverPort,
    user: decodeURIComponent(username),
    ...(password === "" ? {} : { password: decodeURIComponent(password) }),
  };
  const words = Object.entries(target).map(([name, value]) => `${name}='${value.replaceAll("'", "''")}'`);
  const all = {
    listen_addr: "127.0.0.1",
    listen_port: `${port}`,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: "transaction",
    // Sent by some clients at the start of each connection; PgBouncer would refuse them.
    ignore_startup_parameters: "extra_float_digits",
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  return ["[databases]", `* = ${words.join(" ")}`, "[pgbouncer]", ...lines, ""].join("\n");
}
