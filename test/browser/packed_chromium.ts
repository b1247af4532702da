import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "../temporary_folder.ts";

const PACKAGE = "@sparticuz/chromium";
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/perdura/", import.meta.url));

/** True if the npm package brings a Chromium for this machine. */
export const hasPackedChromium: boolean = process.platform === "linux" && process.arch === "x64";

/** A Chromium, and the environment that it needs. */
export interface PackedChromium {
  path: string;
  env: Record<string, string>;
}

/**
 * The Chromium that the npm package brings, compressed. The first call of a clone unpacks it, in about ten seconds of CPU
 * time.
 */
export async function packedChromium(): Promise<PackedChromium> {
  const place = join(CACHE, `chromium-${packageVersion()}`);
  if (!existsSync(place)) await unpack(place);
  return {
    path: join(place, "chromium"),
    env: {
      // Small images have neither the libraries of NSS nor fonts.
      LD_LIBRARY_PATH: join(place, "al2023", "lib"),
      ...(existsSync("/etc/fonts/fonts.conf") ? {} : { FONTCONFIG_PATH: join(place, "fonts") }),
    },
  };
}

function packageVersion(): string {
  const main = createRequire(import.meta.url).resolve(PACKAGE);
  const { version } = JSON.parse(readFileSync(join(dirname(dirname(main)), "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}

/** Another process may do the same: the folder appears as a whole. */
async function unpack(place: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const folder = temporaryFolder(CACHE);
  try {
    // The package unpacks into the directory for temporary files, and a fixed name in it.
    await promisify(execFile)(process.execPath, [fileURLToPath(new URL("unpack.mjs", import.meta.url))], {
      env: { ...process.env, TMPDIR: folder },
    });
    // The package's own configuration names directories of a cloud.
    writeFileSync(join(folder, "fonts", "fonts.conf"), fontsConfiguration(join(place, "fonts")));
    renameSync(folder, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const fontsConfiguration = (folder: string): string =>
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${folder}</dir></fontconfig>\n`;
