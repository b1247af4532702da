import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runServer } from "verdaccio";
import type { UsersRegistry } from "./users_registry.ts";

/** A package that all tests install: verdaccio then has it for them. */
const ASKED = "better-sqlite3";

/** Keeps `perdura` and `@perdura/…` in a directory, and forwards all other requests to the user's registry. */
const [directory = ""] = process.argv.slice(2);
const { registry, ca, cafile, ...user } = JSON.parse(process.env["PERDURA_USERS_REGISTRY"] ?? "{}") as UsersRegistry;
// Like npm, which ignores `ca` if there is a file.
const trusted = cafile === null ? ca : readFileSync(cafile, "utf8");
const ours = { access: "$all", publish: "$all", unpublish: "$all" };
const upstream = {
  url: registry,
  strict_ssl: user["strict-ssl"],
  timeout: "15s",
  max_fails: 20,
  ...(trusted === null ? {} : { ca: trusted }),
};
const server = (await runServer({
  self_path: directory,
  storage: join(directory, "storage"),
  auth: { htpasswd: { file: join(directory, "htpasswd") } },
  uplinks: { upstream },
  packages: { perdura: ours, "@perdura/*": ours, "**": { access: "$all", proxy: "upstream" } },
  max_body_size: "50mb",
  web: { enable: false },
  // Shows why a request to the user's registry failed, which verdaccio's answers do not.
  log: { type: "stdout", format: "json", level: "http" },
} as never)) as Server;
server.listen(0, "127.0.0.1", async () => {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  // Otherwise clients would repeat their requests for minutes, without the reason of the failure.
  const { ok } = await fetch(new URL(ASKED, address));
  if (ok) return console.log(`listens on ${address}`);
  console.log(
    `${ASKED} cannot be read from the registry of your npm settings, for the reason above: check the settings`,
  );
  console.log("registry, cafile and strict-ssl, and NODE_EXTRA_CA_CERTS.");
  process.exit(1);
});
