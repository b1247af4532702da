import { MetricsCollector } from "@perdura/v16";
import { dataFile, type DataSet, HEAVY_USER, TYPICAL_USER, typicalUsers } from "../data/interactions.ts";
import { ConnectionPerCall } from "../peers/connection_per_call.ts";
import { originalInPython, type PythonRound } from "../peers/original_in_python.ts";
import { SqliteShell } from "../peers/sqlite_shell.ts";
import type { MakeSide, Place, Row } from "../row.ts";
import { asking, ROUND_MS } from "./asking.ts";

const setOf = (layout: DataSet["layout"], rows: number): DataSet => ({ layout, rows, users: typicalUsers(rows) });

/** A query, for perdura and for its peers. */
interface Question {
  name: string;
  what: string;
  ours: (collector: MetricsCollector) => unknown;
  original: (original: ConnectionPerCall) => unknown;
  python: PythonRound;
  /** The goal for ten million rows and more. */
  atMost?: number;
}

function byPerdura(question: Question, set: (place: Place) => DataSet, name = "perdura"): MakeSide {
  return (place) => {
    const collector = new MetricsCollector(dataFile(place.shared, set(place)));
    return asking(
      name,
      () => question.ours(collector),
      () => collector.close(),
    );
  };
}

const whole = ({ rows }: Place): DataSet => setOf("perdura", rows);
const original = ({ shared, rows }: Place): string => dataFile(shared, setOf("original", rows));

function data(place: Place): void {
  dataFile(place.shared, whole(place));
  original(place);
}

function againstOriginal(question: Question): Row[] {
  const { name, what, atMost } = question;
  const row = {
    what,
    rounds: 9,
    rows: 100_000,
    chart: `${what[0]?.toUpperCase()}${what.slice(1)}`,
    ...(atMost === undefined ? {} : { atMost, goalFrom: 10_000_000 }),
    data,
  };
  const ours = byPerdura(question, whole);
  return [
    {
      ...row,
      name,
      peer: "plain aggregates on a connection per call, as the original product",
      sides: {
        ours,
        peer: (place) => {
          const peer = new ConnectionPerCall(original(place));
          return asking("connection per call", () => question.original(peer));
        },
      },
    },
    {
      ...row,
      name: `${name}-python`,
      peer: "the same in Python 3, the language of the original product",
      needs: "python3",
      sides: { ours, peer: (place) => originalInPython(original(place), question.python) },
    },
  ];
}

/** Compares the duration of a query with that for a tenth of the rows. */
function againstTenth(question: Question, usersOf: (rows: number, allRows: number) => number): Row {
  const tenth = (rows: number): number => Math.ceil(rows / 10);
  const all = ({ rows }: Place): DataSet => ({ layout: "perdura", rows, users: usersOf(rows, rows) });
  const small = ({ rows }: Place): DataSet => ({
    layout: "perdura",
    rows: tenth(rows),
    users: usersOf(tenth(rows), rows),
  });
  return {
    name: `${question.name}-size`,
    what: question.what,
    peer: "the same at a tenth of the rows",
    rounds: 15,
    rows: 100_000,
    atMost: 1.2,
    goalFrom: 1_000_000,
    data: (place) => [all, small].forEach((set) => dataFile(place.shared, set(place))),
    sides: { ours: byPerdura(question, all), peer: byPerdura(question, small, "a tenth of the rows") },
  };
}

const USER: Question = {
  name: "user-stats",
  what: "statistics of one user with 500 rows",
  ours: (collector) => collector.getUserStats(TYPICAL_USER),
  original: (peer) => peer.userStats(TYPICAL_USER),
  python: { do: "user", user: TYPICAL_USER, milliseconds: ROUND_MS },
  atMost: 1 / 500,
};

const HEAVY: Question = {
  name: "user-stats-heavy",
  what: "statistics of one user with a twentieth of all rows",
  ours: (collector) => collector.getUserStats(HEAVY_USER),
  original: (peer) => peer.userStats(HEAVY_USER),
  python: { do: "user", user: HEAVY_USER, milliseconds: ROUND_MS },
  atMost: 1 / 100_000,
};

const GLOBAL: Question = {
  name: "global-stats",
  what: "statistics over all users",
  ours: (collector) => collector.getGlobalStats(),
  original: (peer) => peer.globalStats(),
  python: { do: "global", milliseconds: ROUND_MS },
};

const USERS: Question = {
  name: "all-users",
  what: "the names of all users, one for each 500 rows",
  ours: (collector) => collector.getAllUsers(),
  original: (peer) => peer.allUsers(),
  python: { do: "users", milliseconds: ROUND_MS },
};

/** The names of all typical users, repeatedly. */
function inTurn({ rows }: Place): () => string {
  const users = typicalUsers(rows);
  let turn = 0;
  return () => {
    turn += 1;
    return `user-${turn % users}`;
  };
}

/** perdura's cache of recent answers does not help if each query concerns another user. */
const USERS_IN_TURN: Row = {
  name: "user-stats-in-turn",
  what: "statistics of one user after the other, each with 500 rows",
  peer: "plain aggregates on a connection per call, as the original product",
  rounds: 9,
  rows: 100_000,
  data,
  sides: {
    ours: (place) => {
      const [collector, next] = [new MetricsCollector(dataFile(place.shared, whole(place))), inTurn(place)];
      return asking(
        "perdura",
        () => collector.getUserStats(next()),
        () => collector.close(),
      );
    },
    peer: (place) => {
      const [peer, next] = [new ConnectionPerCall(original(place)), inTurn(place)];
      return asking("connection per call", () => peer.userStats(next()));
    },
  },
};

const GLOBAL_BY_SHELL: Row = {
  ...(againstOriginal(GLOBAL)[0] as Row),
  name: "global-stats-shell",
  peer: "plain aggregates in the sqlite3 shell, on a connection that stays open",
  needs: "sqlite3",
  sides: {
    ours: byPerdura(GLOBAL, whole),
    peer: (place) => {
      const shell = new SqliteShell(original(place));
      return shell.side(async () => {
        await shell.run(
          "SELECT COUNT(DISTINCT user_id), COUNT(*), AVG(CASE WHEN success THEN 1.0 ELSE 0.0 END) FROM metrics;",
        );
        return 1;
      });
    },
  },
};

/** Statistics: the goals are 1/500 and 1/100,000 of the original's time at ten million rows, and no growth with the rows. */
export const STATISTICS: Row[] = [
  ...againstOriginal(USER),
  USERS_IN_TURN,
  ...againstOriginal(HEAVY),
  ...againstOriginal(GLOBAL),
  GLOBAL_BY_SHELL,
  ...againstOriginal(USERS),
  againstTenth(USER, typicalUsers),
  againstTenth(GLOBAL, typicalUsers),
  // Every name is returned, so that only equal names take equal time.
  againstTenth(USERS, (_, allRows) => typicalUsers(Math.ceil(allRows / 10))),
];
