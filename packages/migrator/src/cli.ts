#!/usr/bin/env node
// Nothing else may be imported before the version of Node is known: the database driver ends an older one without a word.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 14)) {
  process.stderr.write(
    `perdura-migrate needs Node.js 22.14 or newer; this is Node.js ${process.versions.node}. Nothing was changed.\n`,
  );
  process.exit(2);
}
const { endOnInterrupt } = await import("@perdura/cli/interrupt.js");
endOnInterrupt("perdura-migrate", "Nothing was changed.");
const { main } = await import("./cli/main.ts");
// Everything is written by now. While Node.js tidies up before an end of its own accord, Ctrl-C would kill it.
process.exit(await main(process.argv.slice(2)));

export {};
