import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { writeFileAtomically, writeFileAtomicallyInTurn } from "../../src/files/atomic_write.ts";
import { syncDone } from "../../src/files/sync_directory.ts";
import { StorageError } from "../../src/errors/errors.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { ON_POSIX } from "../../../../test/needs.ts";

it("replaces a file by chunks that arrive asynchronously", async () => {
  const path = join(freshFolder(), "file");
  writeFileSync(path, "old");
  await writeFileAtomicallyInTurn(path, async (write) => {
    write("ne");
    await Promise.resolve();
    expect(readFileSync(path, "utf8")).toBe("old");
    write(Buffer.from("w"));
  });
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(readdirSync(join(path, ".."))).toEqual(["file"]);
});

it("keeps the old file and leaves no temporary file if the chunks end with an error", async () => {
  const path = join(freshFolder(), "file");
  writeFileSync(path, "old");
  const failing = async (write: (text: string) => void): Promise<void> => {
    write("half");
    await Promise.reject(new Error("the connection broke"));
  };
  await expect(writeFileAtomicallyInTurn(path, failing)).rejects.toThrow("the connection broke");
  const full = Object.assign(new Error("no space"), { code: "ENOSPC", syscall: "read" });
  const refused = writeFileAtomicallyInTurn(path, () => Promise.reject(full));
  await expect(refused).rejects.toThrow(StorageError);
  await expect(refused).rejects.toThrow(`${path}: saving failed: no space`);
  const gone = join(path, "gone");
  await expect(writeFileAtomicallyInTurn(gone, () => Promise.resolve())).rejects.toThrow(`${gone}: saving failed: `);
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(join(path, ".."))).toEqual(["file"]);
});

it("gives a new file the requested mode, and keeps the mode of an existing file", ON_POSIX, async () => {
  const path = join(freshFolder(), "file");
  const modeOf = (): number => statSync(path).mode & 0o7777;
  const access = { ...statSync(dirname(path)), mode: 0o600 };
  await writeFileAtomicallyInTurn(path, async (write) => write("1"), { access });
  expect(modeOf()).toBe(0o600);
  chmodSync(path, 0o640);
  writeFileAtomically(path, (write) => write("2"), { access });
  expect(modeOf()).toBe(0o640);
});

it("follows a symbolic link, also a dangling one", ON_POSIX, () => {
  const folder = freshFolder();
  symlinkSync("real", join(folder, "link"));
  for (const content of ["first", "second"]) {
    writeFileAtomically(join(folder, "link"), (write) => write(content));
    expect(readFileSync(join(folder, "real"), "utf8")).toBe(content);
  }
  expect(readdirSync(folder).sort()).toEqual(["link", "real"]);
});

it("states what is already done if a directory cannot be synced", () => {
  const path = join(freshFolder(), "gone", "file");
  expect(() => syncDone(path, "the new content is in place")).toThrow(
    /file: the new content is in place, but its directory could not be synced \(ENOENT.*\): the change may be lost in a power failure\.$/,
  );
  expect(() => syncDone(path, "x")).toThrow(
    expect.objectContaining({ name: "StorageError", path, mayBeWritten: true }) as Error,
  );
});
