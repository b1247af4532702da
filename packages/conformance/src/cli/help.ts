import { IMPLEMENTATIONS } from "../implementations.ts";

/** What `--help` prints. */
export const HELP: string = `perdura-conformance judges an implementation of the persistence layer for AI agents.

Usage
  perdura-conformance run --implementation <name>    a built-in adapter: ${IMPLEMENTATIONS.join(", ")}
  perdura-conformance run --adapter "<command>"      a program that speaks the adapter protocol
  perdura-conformance requirements [--uncovered]     what the specification asks for, and which cases check it
  perdura-conformance explain <id>                   one requirement or one case
  perdura-conformance cases                          the ids of all cases

Options of run
  --line <15|16|version>    judge as this line; without it the adapter says which version it implements
  --case <id>               only this case; may be repeated
  --area <name>             only this area, for example metrics; may be repeated
  --requirement <id>        only cases that check this requirement; may be repeated
  --timeout <seconds>       longest wait for one answer (10)
  --report <file>           also write the whole report as JSON Lines
  --json                    print a JSON summary instead of the text

Examples
  perdura-conformance run --implementation perdura-16
  perdura-conformance run --adapter "python3 adapter.py" --line 16 --report report.ndjson
  perdura-conformance run --implementation perdura-15 --case state/hostile-ids
  perdura-conformance explain R-2.1/confidence.default

Exit codes
  0  as expected     1  a scored case failed or an operation is missing
  2  wrong usage     3  a fault of the suite, or nothing was run
`;
