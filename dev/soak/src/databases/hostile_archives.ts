import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { forge } from "./forge.ts";

/** Renames the entry `bob.json` in every table. */
const renamed =
  (name: string | Buffer) =>
  (path: string): void =>
    forge(path, (database) => {
      const bytes = Buffer.from(name);
      for (const [table, column] of [
        ["sqlar", "name"],
        ["entries", "name"],
        ["states", "file"],
      ] as const)
        database
          .prepare(`UPDATE OR REPLACE ${table} SET ${column} = CAST(? AS TEXT) WHERE ${column} = 'bob.json'`)
          .run(bytes);
    });

/** An additional entry in the form of the archive. */
interface Further {
  name: string;
  kind?: "file" | "directory" | "link";
  mode?: number;
  size?: number;
  data?: Buffer | null;
  content?: Buffer;
}

const KINDS = { file: 0o100644, directory: 0o040755, link: 0o120777 } as const;

const adding =
  (...entries: Further[]) =>
  (path: string): void =>
    forge(path, (database) => {
      for (const { name, kind = "file", content = Buffer.from("x"), ...other } of entries) {
        const { mode = KINDS[kind], size = content.length, data = kind === "directory" ? null : content } = other;
        const time = kind === "link" ? -1 : 1;
        const sum = kind === "directory" ? null : createHash("sha256").update(content).digest("hex");
        database.prepare("INSERT INTO sqlar VALUES (?, ?, ?, ?, ?)").run(name, mode, time, size, data);
        database.prepare("INSERT INTO entries VALUES (?, ?, 1000000000, 0, 0, ?)").run(name, kind, sum);
      }
    });

const changing =
  (sql: string) =>
  (path: string): void =>
    forge(path, (database) => void database.exec(sql));

/** Names that lead out of a directory, or that cannot be the name of a file. */
const NAMES = [
  "../evil.json",
  "/tmp/perdura-soak-canary",
  "a/../../evil.json",
  "inner/../../evil.json",
  "..",
  ".",
  "",
  "/",
  "inner//x.json",
  "inner/./x.json",
  "inner/",
  "./x.json",
  "x\0.json",
  "to inner/x.json",
  "zz link.json/x.json",
  "0 dangling.json/x",
  "alice.json/x",
  "nothing/x",
  "..\\evil.json",
  "C:\\evil.json",
  "C:evil.json",
  "CON",
  "NUL.json",
  "x\n.json",
  "x\x1B]52;c;eA==\x07.json",
  "‮gnp.json",
  "x".repeat(300),
  `${"d/".repeat(2e3)}x`,
  "ALICE.json",
  "alice.JSON",
  "é.json",
  "é.json",
  "inner/notes.txt",
  "aux.json ",
  "trailing.",
];

const ZEROS = Buffer.alloc(300_000_000);

/** Hostile archives, by description of the attack. */
export function hostileArchives(): Record<string, (path: string) => void> {
  return {
    ...Object.fromEntries(NAMES.map((name) => [`the name ${JSON.stringify(name.slice(0, 40))}`, renamed(name)])),
    "a name that is not UTF-8": renamed(Buffer.from("ff2e6a736f6e", "hex")),
    "a file through a link to the outside": adding(
      { name: "way", kind: "link", content: Buffer.from("..") },
      { name: "way/evil.txt" },
    ),
    "a link to a link to the outside": adding(
      { name: "way", kind: "link", content: Buffer.from("../..") },
      { name: "way2", kind: "link", content: Buffer.from("way") },
      { name: "way2/evil.txt" },
    ),
    "a file with the name of a directory": adding(
      { name: "same", kind: "directory" },
      { name: "same/x" },
      { name: "same/x/y" },
    ),
    "set-user-id and set-group-id": adding({ name: "run me", mode: 0o106755 }),
    "the mode of a device": adding({ name: "device", mode: 0o020666 }),
    "the mode of a pipe": adding({ name: "pipe", mode: 0o010666 }),
    "a size that is too large": adding({ name: "big", size: 2 ** 40 }),
    "a negative size": adding({ name: "small", size: -1 }),
    "more content than its size": adding({ name: "bomb", size: 10, data: deflateSync(ZEROS), content: ZEROS }),
    "a gigabyte of compressed zeros": (path) => {
      const entries = ["a", "b", "c", "d"].map((name) => ({ name, data: deflateSync(ZEROS), content: ZEROS }));
      adding(...entries)(path);
    },
    "more content than any disk can hold": (path) =>
      forge(path, (database) => {
        const [data, sum] = [deflateSync(Buffer.alloc(1000)), "0".repeat(64)];
        const [file, entry] = [
          "INSERT INTO sqlar VALUES (?, 33188, 1, 900000000, ?)",
          "INSERT INTO entries VALUES (?, 'file', 1000000000, 0, 0, ?)",
        ];
        database.exec("BEGIN");
        for (let number = 0; number < 100_000; number += 1) {
          database.prepare(file).run(`f${number}`, data);
          database.prepare(entry).run(`f${number}`, sum);
        }
        database.exec("COMMIT");
      }),
    "a generated column as content": changing(
      `DROP TABLE IF EXISTS old; UPDATE sqlite_schema SET sql = replace(sql, 'data BLOB', 'data BLOB AS (zeroblob(500000000))') WHERE name = 'sqlar'`,
    ),
    "two directories": changing("INSERT INTO directory SELECT * FROM directory"),
    "no directory": changing("DELETE FROM directory"),
    "a directory without permissions": changing("UPDATE directory SET mode = 16384"),
    "the owner 4294967295": changing("UPDATE entries SET uid = 4294967295"),
    "the largest possible time": changing(
      "UPDATE entries SET mtime_ns = 9223372036854775807; UPDATE sqlar SET mtime = 9223372036 WHERE mtime <> -1",
    ),
    "an unknown kind": changing("PRAGMA ignore_check_constraints = ON; UPDATE entries SET kind = 'device'"),
    "text as data": changing("UPDATE sqlar SET data = 'text' WHERE data IS NOT NULL"),
  };
}
