import { execFile } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { type PostgresServer, startPostgres } from "@perdura/test-servers/postgres/server.js";
import pg from "pg";
import { type SelfSigned, selfSigned } from "@perdura/test-servers/self_signed.js";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { metricsIn } from "./elements.ts";
import { ON_POSIX, skipWithout } from "../../../test/needs.ts";

const PASSWORD = "p@ss/w:rd%20+#? ä";

// The server of the run may be a developer's own: these tests need a server whose files we have.
describeWithPostgres("a server with a Unix socket and TLS", () => {
  let server: PostgresServer;
  let files: SelfSigned | undefined;
  let data: string;
  beforeAll(async () => {
    // The default from 14 on; the role is created with it.
    const settings = { unix_socket_directories: ".", password_encryption: "scram-sha-256" };
    server = await startPostgres({ settings });
    data = join(server.directory, "data");
    files = await selfSigned(server.directory);
    const admin = new pg.Client(server.url);
    await admin.connect();
    await admin.query(`CREATE ROLE alice LOGIN SUPERUSER PASSWORD '${PASSWORD}'`);
    if (files !== undefined) {
      const { uid, gid } = statSync(data);
      for (const file of Object.values(files)) {
        const copy = join(data, file.split(/[\\/]/).at(-1) as string);
        copyFileSync(file, copy);
        chmodSync(copy, 0o600);
        chownSync(copy, uid, gid);
      }
      await admin.query("ALTER SYSTEM SET ssl = on");
    }
    await admin.end();
    const rules = join(data, "pg_hba.conf");
    writeFileSync(rules, `host all alice 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, "utf8")}`);
    await server.restart("fast");
  });
  afterAll(() => server.stop());

  const usersAt = async (address: string | undefined): Promise<string[]> => metricsIn(address as string).getAllUsers();

  test("is reached by the directory of its socket, in libpq's notation", ON_POSIX, async () => {
    const socket = encodeURIComponent(data);
    const addresses = [
      `postgres://postgres@/postgres?host=${data}&port=${server.port}`,
      `postgres://postgres@${socket}:${server.port}/postgres`,
      // No server supports TLS there: libpq does not ask for it either.
      `postgres://postgres@${socket}/postgres?port=${server.port}&sslmode=verify-full`,
    ];
    for (const address of addresses) expect(await usersAt(address)).toEqual([]);
    for (const [name, value] of Object.entries({ PGHOST: data, PGPORT: `${server.port}`, PGUSER: "postgres" }))
      vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await usersAt("postgres:///postgres")).toEqual([]);
    expect(await usersAt(undefined)).toEqual([]);
    vi.unstubAllEnvs();
    const lost = metricsIn(`postgres://me:geheim@${socket}:1/db`).getAllUsers();
    await expect(lost).rejects.toMatchObject({ path: `postgres://me@/db?host=${data}&port=1` });
  });

  test("is trusted only with its certificate in the address or the environment", async (context) => {
    if (files === undefined) return skipWithout("openssl", context);
    const { certificate } = files;
    const address = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
    const root = encodeURIComponent(certificate);
    expect(await usersAt(`${address}?sslmode=verify-full&sslrootcert=${root}`)).toEqual([]);
    expect(await usersAt(`${address}?sslmode=no-verify`)).toEqual([]);
    await expect(usersAt(`${address}?sslmode=verify-full`)).rejects.toThrow(/self.signed certificate/);
    vi.stubEnv("PGSSLROOTCERT", certificate);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await usersAt(`${address}?sslmode=verify-full`)).toEqual([]);
    vi.stubEnv("PGSSLMODE", "verify-full");
    expect(await usersAt(`${address}?application_name=encrypted`)).toEqual([]);
    const admin = new pg.Client({ connectionString: server.url, ssl: false });
    await admin.connect();
    onTestFinished(() => admin.end());
    const { rows } = await admin.query(
      "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'encrypted'",
    );
    expect(rows).toEqual([{ ssl: true }]);
  });

  test("accepts a client certificate whose key has a password", async (context) => {
    if (files === undefined) return skipWithout("openssl", context);
    const locked = join(freshFolder(), "locked.key");
    await promisify(execFile)("openssl", [
      ..."rsa -aes256 -passout pass:geheim -in".split(" "),
      files.key,
      "-out",
      locked,
    ]);
    const address = `postgres://postgres@127.0.0.1:${server.port}/postgres?sslmode=no-verify&sslcert=${encodeURIComponent(files.certificate)}&sslkey=${encodeURIComponent(locked)}`;
    expect(readFileSync(locked, "utf8")).toContain("ENCRYPTED");
    expect(await usersAt(`${address}&sslpassword=geheim`)).toEqual([]);
    const wrong = await usersAt(`${address}&sslpassword=hunter2`).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(Error);
    expect(inspect(wrong, { depth: 9 })).not.toContain("hunter2");
  });

  test("requires a password, which is read from all sources of libpq and never shown", async () => {
    const place = `127.0.0.1:${server.port}/postgres`;
    const encoded = encodeURIComponent(PASSWORD);
    expect(await usersAt(`postgres://alice:${encoded}@${place}`)).toEqual([]);
    expect(await usersAt(`postgres://alice:wrong@${place}?password=${encoded}`)).toEqual([]);
    const passwords = join(freshFolder(), "passwords");
    const escaped = PASSWORD.replaceAll(/[:\\]/g, "\\$&");
    writeFileSync(passwords, `127.0.0.1:${server.port}:postgres:alice:${escaped}\n`, { mode: 0o600 });
    vi.stubEnv("PGPASSFILE", passwords);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await usersAt(`postgres://alice@${place}`)).toEqual([]);
    vi.stubEnv("PGPASSWORD", "geheim-geheim");
    for (const address of [`postgres://alice:geheim-geheim@${place}`, `postgres://alice@${place}`]) {
      const error = await usersAt(address).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "PERDURA_STORAGE", path: `postgres://alice@${place}` });
      expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain("geheim");
    }
    vi.stubEnv("PGPASSWORD", PASSWORD);
    expect(await usersAt(`postgres://alice@${place}`)).toEqual([]);
  });

  test("receives options, which its errors do not repeat", async () => {
    const place = `127.0.0.1:${server.port}/postgres`;
    for (const options of ["hunter2", "-c%20hunter2", "-c%20work_mem%3Dhunter2", "--hunter2"]) {
      const error = await usersAt(`postgres://postgres@${place}?options=${options}`).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "PERDURA_STORAGE" });
      expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain("hunter2");
    }
    expect(await usersAt(`postgres://postgres@${place}?options=-c%20work_mem%3D5MB`)).toEqual([]);
  });
});
