import { MetricsCollector } from "@perdura/v16";
import { dataFile, type DataSet, HEAVY_USER, typicalUsers } from "../data/interactions.ts";
import { PlainTrend } from "../peers/plain_trend.ts";
import type { MakeSide, Place, Row } from "../row.ts";
import { asking } from "./asking.ts";

/** A trend by day, for perdura and for its peer. */
interface Trend {
  name: string;
  what: string;
  ours: (collector: MetricsCollector) => unknown;
  peer: (plain: PlainTrend) => unknown;
}

const setOf = (rows: number): DataSet => ({ layout: "perdura", rows, users: typicalUsers(rows) });

/** The data of every size have the same days, so that trends of all sizes have equally many periods. */
function byPerdura({ ours }: Trend, sizeOf: (rows: number) => number, name = "perdura"): MakeSide {
  return ({ shared, rows }) => {
    const collector = new MetricsCollector(dataFile(shared, setOf(sizeOf(rows))));
    return asking(
      name,
      () => ours(collector),
      () => collector.close(),
    );
  };
}

const whole = (rows: number): number => rows;
const tenth = (rows: number): number => Math.ceil(rows / 10);

function trendRows(trend: Trend): Row[] {
  const { name, what } = trend;
  const data = ({ shared, rows }: Place): void => {
    for (const size of [whole, tenth]) dataFile(shared, setOf(size(rows)));
  };
  return [
    {
      name,
      what,
      peer: "plain aggregation in SQL over the same table, without trust",
      rounds: 5,
      rows: 100_000,
      atMost: 1 / 100,
      goalFrom: 10_000_000,
      data,
      sides: {
        ours: byPerdura(trend, whole),
        peer: ({ shared, rows }) => {
          const plain = new PlainTrend(dataFile(shared, setOf(rows)));
          return asking(
            "plain aggregation",
            () => trend.peer(plain),
            () => plain.close(),
          );
        },
      },
    },
    {
      name: `${name}-size`,
      what,
      peer: "the same at a tenth of the rows",
      rounds: 9,
      rows: 100_000,
      atMost: 1.2,
      goalFrom: 1_000_000,
      data,
      sides: { ours: byPerdura(trend, whole), peer: byPerdura(trend, tenth, "a tenth of the rows") },
    },
  ];
}

const [SINCE, UNTIL] = ["2020-10-01", "2020-12-01"];

/** Trends by day, and statistics of a range: the goals are 1/100 of a plain aggregation at ten million rows, and no growth with the rows. */
export const TRENDS: Row[] = [
  ...trendRows({
    name: "user-trend",
    what: "trend of one user with a twentieth of all rows, with trust",
    ours: (collector) => collector.getUserTrend(HEAVY_USER),
    peer: (plain) => plain.user(HEAVY_USER),
  }),
  ...trendRows({
    name: "global-trend",
    what: "trend of all users",
    ours: (collector) => collector.getGlobalTrend(),
    peer: (plain) => plain.global(),
  }),
  ...trendRows({
    name: "user-range",
    what: "statistics of one user with a twentieth of all rows, of two of four months",
    ours: (collector) => collector.getUserStats(HEAVY_USER, { since: SINCE, until: UNTIL }),
    peer: (plain) => plain.userBetween(HEAVY_USER, SINCE, UNTIL),
  }).slice(0, 1),
  ...trendRows({
    name: "global-range",
    what: "statistics of all users, of two of four months",
    ours: (collector) => collector.getGlobalStats({ since: SINCE, until: UNTIL }),
    peer: (plain) => plain.globalBetween(SINCE, UNTIL),
  }).slice(0, 1),
];
