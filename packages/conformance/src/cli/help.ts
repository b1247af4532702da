import { profileNames } from "../corpus/load_profile.ts";
import { IMPLEMENTATIONS } from "../implementations.ts";

/** What `--help` prints. */
export function help(): string {
  return `perdura-conformance judges an implementation of the persistence layer for AI agents.

Judge
  run --adapter "<command>"       a program that speaks the adapter protocol (docs/adapter.md)
  run --implementation <name>     a built-in adapter: ${IMPLEMENTATIONS.join(", ")}
  check-file <file>...            files that an implementation wrote, without any adapter; --line, and
                                  --as library, state, patterns-database or metrics-database
  matrix --adapter … --adapter …  every implementation reads what every other one wrote

Understand
  explain <id>                    one requirement or one case
  requirements [--uncovered]      what the specification asks for, and which cases check it
  cases                           the ids of all cases
  report <file>... --format <f>   another report from what run --report wrote: terminal, json, junit, tap,
                                  markdown (several files), badge, badge-svg, html; --output <file>
  export --line 16 <directory>    all cases with their files, for a runner of your own
  selftest [--part <name>]        the suite proves itself, and prints its table of mutants

What to run (all may be repeated but --line and --profile)
  --line <15|16|version>          judge as this line; without it the adapter says which version it implements
  --profile <name|file>           judge by a part: ${profileNames().join(", ")}
  --case <id>  --area <name>  --requirement <id>

How to run
  --timeout <seconds>             longest wait for one answer (10)
  --workers <n>                   so many adapters side by side (1); only with --adapter
  --seed <n>                      shuffle the order of the cases
  --expected-failures <file>      cases that are known not to pass; docs/reports.md has the format

What to write
  --json                          print a JSON summary instead of the text
  --report <file>                 the whole report as JSON Lines; report makes the others from it
  --html  --junit  --tap  --markdown  --badge <file>

Examples
  perdura-conformance run --adapter "python3 adapter.py" --line 16 --html report.html
  perdura-conformance run --implementation perdura-15 --case state/hostile-ids
  perdura-conformance check-file --line 16 patterns.json metrics.db
  perdura-conformance matrix --implementation perdura-15 --implementation perdura-16
  perdura-conformance explain R-2.1/confidence.default

Exit codes
  0  as expected     1  something was not as expected
  2  wrong usage     3  a fault of the suite, or nothing was run
`;
}
