import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

test.for(["postgres://h/d", "POSTGRESQL://h/d", "s3://bucket", "a1+b-c.d://x"])(
  "openPersistence refuses the address %s, and creates no directory",
  (address) => {
    const begin = address.slice(0, address.indexOf("//") + 2);
    const refused = `persistence_path: expected a directory path, got an address that begins with "${begin}". `;
    expect(() => v15.openPersistence({ persistence_path: address })).toThrow(
      `${refused}PostgreSQL needs version 16; see UPGRADING.md.`,
    );
    expect(() => v16.openPersistence({ persistence_path: address })).toThrow(
      `${refused}For data in PostgreSQL call openPersistenceAsync.`,
    );
    expect(existsSync(begin.slice(0, -2))).toBe(false);
  },
);

test.for([
  "postgresql:/user:secret@h/d",
  "POSTGRES:user:secret@h/d",
  "postgresql:secret",
  "postgres//secret",
  "postgres//user:secret@h/d",
  "postgres.//user:secret@h/d",
  " postgres://user:secret@h/d",
  "\npostgres://user:secret@h/d",
  '"postgres://user:secret@h/d"',
  "DATABASE_URL=postgres://user:secret@h/d",
  "jdbc:postgresql://h/d?user=user&password=secret",
  " mysql://secret",
  "user:secret@h/d",
  "user:se/cret@h/d",
  "host=h password=secret dbname=d",
  "Server=h;Password=secret",
])("refuses the mistyped address %j without showing its password, and creates no directory", async (address) => {
  const refused = /^persistence_path: expected a directory path, got text that looks like a mistyped server address/;
  const errors = LINES.map(({ line }) => errorOf(() => line.openPersistence({ persistence_path: address })));
  errors.push(await v16.openPersistenceAsync({ persistence_path: address }).catch((error: unknown) => error));
  for (const error of errors) {
    expect(error).toMatchObject({ code: "PERDURA_VALIDATION", message: expect.stringMatching(refused) as string });
    expect(inspect(error)).not.toContain("secret");
  }
  expect(existsSync(address.split("/")[0] || address)).toBe(false);
});

test.for(["postgres://user:secret@h/d", "user:secret@h/d", "s3://user:secret@h/d", " postgres://user:secret@h/d"])(
  "refuses %j as a file path, and does not show its password",
  (address) => {
    const library = new v16.PatternLibrary();
    for (const call of [
      ...LINES.flatMap(({ line }) => [
        () => new line.MetricsCollector(address),
        () => line.PatternPersistence.loadFromJson(address),
        () => line.PatternPersistence.loadFromSqlite(address),
      ]),
      () => v16.PatternPersistence.saveToSqlite(library, address),
      () => v16.PatternPersistence.saveToJson(library, address),
    ]) {
      const error = errorOf(call);
      expect(error).toMatchObject({ code: "PERDURA_VALIDATION" });
      expect(inspect(error)).not.toContain("secret");
    }
  },
);

test.for(["u:v@w", "host=h password=x"])("accepts an existing directory named %s", (name) => {
  for (const { line } of LINES) {
    const directory = join(freshFolder(), name);
    expect(() => line.openPersistence({ persistence_path: directory })).toThrow(/must already exist/);
    mkdirSync(directory);
    line.openPersistence({ persistence_path: directory }).close();
  }
});

function errorOf(task: () => unknown): unknown {
  try {
    return task();
  } catch (error) {
    return error;
  }
}

test("ignores the path in memory", async () => {
  for (const { line } of LINES) {
    using persistence = line.openPersistence({ persistence_enabled: false, persistence_path: "s3://bucket" });
    expect(persistence.metrics.getAllUsers()).toEqual([]);
  }
  const nobody = { persistence_enabled: false, persistence_path: "postgres://nobody.invalid/d" };
  await using persistence = await v16.openPersistenceAsync(nobody);
  expect(await persistence.metrics.getAllUsers()).toEqual([]);
});

test.for(["postgres://h", "1a://x", "c-x:/y"])("accepts a directory whose path contains %s", (name) => {
  for (const { line } of LINES) {
    const directory = freshFolder();
    line.openPersistence({ persistence_path: join(directory, name) }).close();
    expect(readdirSync(directory)).toEqual([name.split("/")[0]]);
  }
});

test.for([
  [{ durability: "always" }, /^durability: expected "full" or "normal", got "always"/],
  [{ busyTimeoutMs: -1 }, /^busyTimeoutMs: expected/],
  [{ clock: 5 }, /^clock: expected a function that returns/],
  [{ breakdown: { keys: "tool" } }, /^breakdown\.keys: expected an array of keys/],
] as const)("openPersistenceAsync refuses %j before it connects to a server", async ([options, refused]) => {
  await expect(
    v16.openPersistenceAsync({ persistence_path: "postgres://nobody.invalid/d" }, options as never),
  ).rejects.toThrow(refused);
});

test.for(["postgres://h/d", "postgresql://h/d"])(
  "openPersistenceAsync recognises %s as an address of PostgreSQL",
  async (address) => {
    await expect(v16.openPersistenceAsync({ persistence_path: address }, { durability: "normal" })).rejects.toThrow(
      "durability: PostgreSQL has a server setting for it",
    );
  },
);

test("openPersistenceAsync treats a path that contains postgres:// as a directory", async () => {
  const path = `${freshFolder()}/postgres://h`;
  await using persistence = await v16.openPersistenceAsync({ persistence_path: path }, { durability: "normal" });
  expect(await persistence.metrics.getAllUsers()).toEqual([]);
});

test("refuses a path that is a file, and names the failed operation", () => {
  const path = join(freshFolder(), "metrics.db");
  new v16.MetricsCollector(path).close();
  for (const { line } of LINES)
    expect(() => line.openPersistence({ persistence_path: path })).toThrow(
      /metrics\.db: making the directory failed: /,
    );
});

test("openPersistenceAsync in memory ignores the path, and its stores fail after close", async () => {
  const persistence = await v16.openPersistenceAsync({
    persistence_enabled: false,
    persistence_path: "postgres://h/d",
  });
  await persistence.metrics.recordInteraction("u", 1, true, 1);
  expect(await persistence.metrics.getAllUsers()).toEqual(["u"]);
  await persistence.close();
  await expect(persistence.metrics.getAllUsers()).rejects.toThrow();
  await expect(persistence.patterns.load()).rejects.toThrow("The pattern store of :memory: was closed.");
});

test("openPersistenceAsync refuses an unknown option for PostgreSQL", async () => {
  const options = { busyTimeout: 5 } as never;
  await expect(v16.openPersistenceAsync({ persistence_path: "postgres://h/d" }, options)).rejects.toThrow(
    /^options: unknown option "busyTimeout"/,
  );
});

test.for([null, "normal", { durability: "none" }, { busyTimeout: 5 }])(
  "refuses the invalid options %j before it creates a directory",
  async (options) => {
    const path = join(freshFolder(), "data");
    for (const { line } of LINES)
      expect(() => line.openPersistence({ persistence_path: path }, options as never)).toThrow(v16.ValidationError);
    await expect(v16.openPersistenceAsync({ persistence_path: path }, options as never)).rejects.toThrow(
      v16.ValidationError,
    );
    expect(existsSync(path)).toBe(false);
  },
);

test.for(LINES)("the stores of $name fail after close", ({ line }) => {
  const { metrics, patterns, close } = line.openPersistence({ persistence_path: freshFolder() });
  close();
  close();
  expect(() => metrics.getAllUsers()).toThrow();
  expect(() => patterns.load()).toThrow(/patterns\.db was closed\.$/);
});
