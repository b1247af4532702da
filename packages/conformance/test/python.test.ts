import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { needs } from "../../../test/needs.ts";
import { PYTHON_MINOR } from "../../../test/python.ts";
import { commandAdapter } from "../src/index.ts";
import { runWithLongTimeout } from "./long_timeout_suite.ts";

const folder = fileURLToPath(new URL("../python", import.meta.url));
const adapter = join(folder, "adapter.py");

const absent = PYTHON_MINOR === undefined;
/** `sys.stdlib_module_names` came with Python 3.10. */
const cannotName = (PYTHON_MINOR ?? 0) < 10;

/** Runs a script with the folder of the Python packages as its working directory. */
function python(script: string): unknown {
  const { status, stdout, stderr } = spawnSync("python3", ["-c", script], { cwd: folder, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

describe("the implementation in Python", needs("python", absent), () => {
  it.each(["15", "16"])("conforms to the line %s", async (line) => {
    const command = ["python3", adapter, line].map((word) => JSON.stringify(word)).join(" ");
    const { summary, cases } = await runWithLongTimeout({ adapter: commandAdapter(command), line });
    const fine = ["pass", "inapplicable", "observed", "unsupported"];
    const bad = cases.filter(({ verdict }) => !fine.includes(verdict));
    expect(bad.map(({ id, verdict, reason, failures }) => ({ id, verdict, reason, failures }))).toEqual([]);
    // Only the optional migration is missing.
    const lacks = cases.filter(({ verdict }) => verdict === "unsupported").map(({ reason }) => reason);
    expect(lacks.filter((reason) => reason !== "the adapter does not declare migration")).toEqual([]);
    expect(summary).toMatchObject({ conformant: true, spec_version: `${line}.0.0` });
  });

  it("has correct examples", () => {
    const { attempted, failed } = python(DOCTESTS) as { attempted: number; failed: number };
    expect(attempted).toBeGreaterThan(5);
    expect(failed).toBe(0);
  });
});

describe("the imports of the Python files", needs("python", cannotName), () => {
  it("imports only the standard library and these packages", () => {
    const { imported, foreign } = python(IMPORTS) as { imported: string[]; foreign: string[] };
    expect(imported).toContain("sqlite3");
    expect(foreign).toEqual([]);
  });
});

it("the adapter in Python has fewer than 150 lines", () => {
  expect(readFileSync(adapter, "utf8").split("\n").length - 1).toBeLessThan(150);
});

const DOCTESTS = `
import doctest, importlib, json, pathlib
names = [".".join(path.with_suffix("").parts) for path in sorted(pathlib.Path().glob("agent_persistence_*/*.py"))]
results = [doctest.testmod(importlib.import_module(name)) for name in names]
print(json.dumps({"attempted": sum(r.attempted for r in results), "failed": sum(r.failed for r in results)}))
`;

const IMPORTS = `
import ast, json, pathlib, sys
imported = set()
for path in pathlib.Path().rglob("*.py"):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            imported.add(node.module.split(".")[0])
own = {path.parent.name for path in pathlib.Path().glob("*/__init__.py")}
print(json.dumps({"imported": sorted(imported), "foreign": sorted(imported - own - set(sys.stdlib_module_names))}))
`;
