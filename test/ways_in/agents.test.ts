import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { blocks, exampleFolder } from "./example_page.ts";

const FOLDER = exampleFolder("agents");
const page = readFileSync(join(FOLDER, "README.md"), "utf8");

/** Modules that the programs share. */
const SHARED = ["tools.mjs", "which_tool_fails.mjs"];

const programs = readdirSync(FOLDER).filter((name) => name.endsWith(".mjs") && !SHARED.includes(name));

test.for(programs)("the agent %s records its tools, and says which one fails", (name) => {
  expect(page).toContain(`| \`${name}\``);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@perdura/source", "--no-warnings", join(FOLDER, name)],
    // The OpenAI Agents SDK makes no traces in tests.
    { cwd: freshFolder(), encoding: "utf8", env: { ...process.env, NODE_ENV: undefined } },
  );
  expect(stderr).toBe("");
  expect([stdout]).toEqual(blocks("agents", "text"));
  expect(status).toBe(0);
});
