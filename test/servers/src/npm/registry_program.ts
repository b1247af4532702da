import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runServer } from "verdaccio";

/** Keeps `perdura` and `@perdura/…` in a directory, and forwards all other requests to another registry. */
const [directory = "", upstream = ""] = process.argv.slice(2);
const ours = { access: "$all", publish: "$all", unpublish: "$all" };
const server = (await runServer({
  self_path: directory,
  storage: join(directory, "storage"),
  auth: { htpasswd: { file: join(directory, "htpasswd") } },
  uplinks: { upstream: { url: upstream, timeout: "60s", max_fails: 20 } },
  packages: { perdura: ours, "@perdura/*": ours, "**": { access: "$all", proxy: "upstream" } },
  max_body_size: "50mb",
  web: { enable: false },
  log: { type: "stdout", format: "json", level: "error" },
} as never)) as Server;
server.listen(0, "127.0.0.1", () =>
  console.log(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
);
