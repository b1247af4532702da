import type {
  Comparison,
  DatabaseSummary,
  BreakdownSummary,
  MetricsSummary,
  PatternsSummary,
  PatternSummary,
  StatesSummary,
  Summary,
  UserSummary,
} from "../src/document.ts";
import type { UserPage } from "../src/page/user_page.ts";

/** Reproducible numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const DAY = 86_400_000;
const START = Date.UTC(2025, 0, 6);
const FIRST_NAMES = ["alice", "bela", "chidi", "dora", "emre", "farah", "goran", "hana", "ines", "jonas", "kemal"];
const TYPES = ["sequential", "temporal", "conditional", "behavioral", "adaptive", "preference"];
const AGENTS = ["code-review", "test-writer", "release-notes", "triage", "doc-search"];

export interface Sizes {
  days?: number;
  users?: number;
  trajectories?: number;
  patterns?: number;
  seed?: number;
}

/** Metrics with weekly seasonality, growth, a week with failures, and three days without any operation. */
export function sampleMetrics({ days = 180, users = 60, trajectories = 12, seed = 1 }: Sizes = {}): MetricsSummary {
  const random = randomNumbers(seed);
  const failing = Math.floor(days * 0.62);
  const silent = Math.floor(days * 0.35);
  const periods = Array.from({ length: days }, (_each, index) => {
    const weekday = (index % 7) + 1;
    const season = weekday > 5 ? 0.3 : 1 - Math.abs(3 - weekday) * 0.07;
    const total = Math.max(1, Math.round((300 + index * 2.2) * season * (0.9 + random() * 0.2)));
    const isFailing = index >= failing && index < failing + 7;
    const rate = isFailing ? 0.71 + random() * 0.06 : 0.955 + random() * 0.03;
    const counts = [0.34, 0.29, 0.19, 0.12].map((share) => Math.floor(total * share * (0.9 + random() * 0.2)));
    const [one = 0, two = 0, three = 0, four = 0] = counts;
    return {
      period: dayAt(index),
      total_operations: total,
      success_rate: Math.round(total * rate) / total,
      avg_response_time_ms: (isFailing ? 620 : 240) + Math.sin(index / 9) * 35 + random() * 40,
      level_1_count: one,
      level_2_count: two,
      level_3_count: three,
      level_4_count: four,
      level_5_count: Math.max(0, total - one - two - three - four),
      p95: (isFailing ? 1900 : 610) + random() * 90,
    };
  }).filter((_period, index) => days < 30 || index < silent || index >= silent + 3);
  const operations = sum(periods.map((period) => period.total_operations));
  const top = Array.from({ length: users }, (_each, index) =>
    sampleUser(index, random, index < trajectories ? periods.length : undefined),
  );
  return {
    users: users + 240,
    operations,
    success_rate: sum(periods.map((period) => period.success_rate * period.total_operations)) / operations,
    avg_response_time_ms:
      sum(periods.map((period) => period.avg_response_time_ms * period.total_operations)) / operations,
    percentiles: { p50: 212, p95: 640, p99: 1250 },
    first_use: `${dayAt(0)}T06:12:44.018233`,
    last_use: `${dayAt(days - 1)}T19:48:02.551000`,
    levels: [1, 2, 3, 4, 5].map((level) =>
      sum(periods.map((period) => period[`level_${level as 1}_count`])),
    ) as MetricsSummary["levels"] & object,
    other_levels: 0,
    without_time: 0,
    trend: { bucket: "day", periods },
    recent: {
      days: 7,
      before_since: dayAt(days - 14),
      since: dayAt(days - 7),
      until: dayAt(days),
      before: { total_operations: 4210, success_rate: 0.968, avg_response_time_ms: 251, p95: 632 },
      now: { total_operations: 4388, success_rate: 0.964, avg_response_time_ms: 263, p95: 690 },
    },
    breakdowns: [sampleBreakdown(operations, random)],
    top_users: top,
  };
}

const TOOLS = ["search", "read file", "run tests", "write file", "browse", "send mail"];

function sampleBreakdown(operations: number, random: () => number): BreakdownSummary {
  const values = TOOLS.map((value, index) => {
    const mean = 80 + random() * 900;
    return {
      value,
      total_operations: Math.max(1, Math.round((operations * 0.48) / 2 ** index)),
      success_rate: value === "run tests" ? 0.81 : 0.95 + random() * 0.05,
      avg_response_time_ms: mean,
      p50: mean * 0.8,
      p95: mean * 2.6,
      p99: mean * 4.4,
    };
  });
  const recent = values.map(({ value, success_rate, avg_response_time_ms: mean, p95 }, index) => ({
    value,
    before:
      value === "send mail" ? null : { total_operations: 2000 >> index, success_rate, avg_response_time_ms: mean, p95 },
    now: {
      total_operations: 2100 >> index,
      success_rate: value === "browse" ? success_rate - 0.12 : success_rate,
      avg_response_time_ms: mean * (value === "search" ? 1.5 : 1.02),
      p95: p95 * (value === "search" ? 1.7 : 0.98),
    },
  }));
  return { key: "tool", values, recent };
}

function sampleUser(index: number, random: () => number, periods: number | undefined): UserSummary {
  const skill = random() < 0.2 ? 0.6 : 0.85;
  let trust = 0.5;
  const joins = Math.floor(random() * (periods ?? 1) * 0.3);
  const trajectory =
    periods === undefined
      ? null
      : Array.from({ length: periods }, (_each, day) => {
          if (day < joins) return null;
          const isFailing = day > periods * 0.62 && day < periods * 0.66;
          for (let step = 0; step < 2; step += 1)
            trust = Math.min(1, Math.max(0, trust + (random() < (isFailing ? 0.4 : skill) ? 0.05 : -0.1)));
          return Math.round(trust * 1e9) / 1e9;
        });
  return {
    user_id: `${FIRST_NAMES[index % FIRST_NAMES.length] as string}.${String.fromCodePoint(97 + (index % 26))}${Math.floor(index / 11)}@example.org`,
    total_operations: Math.round(4200 / (1 + index * 0.13)),
    success_rate: Math.min(1, skill + random() * 0.12),
    avg_response_time_ms: 180 + random() * 240,
    p95: 500 + random() * 600,
    current_level: 1 + Math.floor(random() * 5),
    first_use: `${dayAt(joins)}T08:00:00`,
    last_use: `2025-06-${String(10 + Math.floor(random() * 20)).padStart(2, "0")}T17:20:11.5`,
    trust: trajectory === null ? random() : trust,
    trust_trajectory: trajectory,
  };
}

/** A user with operations of each kind. */
export function sampleUserPage(): UserPage {
  const metrics = sampleMetrics({ days: 40, users: 1, trajectories: 1 });
  return {
    user_id: "alice@example.org",
    path: "/srv/agents/data/metrics.db",
    program: "perdura-inspect 0.1.0",
    made_at: "2025-07-05T09:30:00Z",
    range: null,
    metrics: { ...metrics, users: 1 },
    interactions: Array.from({ length: 24 }, (_each, index) => ({
      id: 9000 - index,
      user_id: "alice@example.org",
      level: index % 5 === 0 ? null : 1 + (index % 5),
      success: index % 6 !== 0,
      response_time_ms: index % 7 === 0 ? null : 80 + index * 31.5,
      timestamp: index % 11 === 0 ? null : `2025-02-1${index % 10} 08:15:0${index % 10}`,
      metadata: index % 3 === 0 ? null : { tool: TOOLS[index % TOOLS.length] as string, tokens: 120 * index },
    })),
  };
}

export function samplePatterns({ patterns = 90, seed = 1 }: Sizes = {}): PatternsSummary {
  const random = randomNumbers(seed + 1000);
  const top = Array.from({ length: patterns }, (_each, index): PatternSummary => {
    const usage = Math.round(2400 / (1 + index * 0.2));
    const failures = Math.round(usage * random() ** 3 * 0.6);
    const type = TYPES[Math.floor(random() ** 1.6 * TYPES.length)] as string;
    return {
      id: `pat_${(index * 7919 + 4096).toString(16)}`,
      agent_id: AGENTS[Math.floor(random() ** 1.4 * AGENTS.length)] as string,
      pattern_type: type,
      name: `${type} step ${index + 1}: ${["retry the request", "ask before the merge", "summarise the thread", "pin the version"][index % 4] as string}`,
      confidence: Math.round(Math.min(1, 0.35 + random() * 0.65) * 1000) / 1000,
      usage_count: usage,
      success_count: usage - failures,
      failure_count: failures,
      tags: ["review", "nightly", "ui"].slice(0, index % 4),
      last_used: index % 9 === 0 ? null : `2025-07-0${1 + (index % 4)}T1${index % 10}:05:00`,
    };
  });
  const counts = (key: "pattern_type" | "agent_id") =>
    [...Map.groupBy(top, (pattern) => pattern[key])]
      .map(([name, group]) => ({ name, patterns: group.length }))
      .toSorted((one, other) => other.patterns - one.patterns);
  return {
    patterns: patterns + 12,
    invalid: 0,
    by_type: counts("pattern_type"),
    by_agent: counts("agent_id"),
    by_confidence: Array.from(
      { length: 10 },
      (_each, step) => top.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === step).length,
    ),
    usage_count: sum(top.map((pattern) => pattern.usage_count)),
    success_count: sum(top.map((pattern) => pattern.success_count)),
    failure_count: sum(top.map((pattern) => pattern.failure_count)),
    top_patterns: top,
  };
}

export function sampleStates(path: string, states = 34): StatesSummary {
  const random = randomNumbers(77);
  const top = Array.from({ length: states }, (_each, index) => {
    const count = 20 + Math.floor(random() * 400);
    const failures = Math.floor(count * random() * 0.3);
    return {
      user_id: `${FIRST_NAMES[index % FIRST_NAMES.length] as string}-${index}`,
      reason: index === 5 ? "line 1:8: expected a value" : null,
      trust_level: index === 5 ? null : Math.round(random() * 100) / 100,
      current_level: 1 + Math.floor(random() * 4),
      target_level: 4,
      interaction_count: count,
      success_count: count - failures,
      failure_count: failures,
      last_interaction: `2025-06-1${index % 10}T09:30:00`,
      created_at: "2024-11-02T10:00:00",
    };
  });
  return { path, states, invalid: 1, unreadable: 0, avg_trust: 0.62, top_states: top };
}

export function emptySummary(): Summary {
  return {
    format: "perdura-summary-1",
    made_at: "2025-07-05T09:30:00Z",
    program: "perdura-inspect 0.1.0",
    targets: ["data"],
    range: null,
    databases: [],
    libraries: [],
    state_directories: [],
    archives: [],
    different_patterns: 0,
    backups: [],
    left_alone: [],
    unreadable: [],
  };
}

export function sampleDatabase(path: string, parts: Partial<DatabaseSummary> = {}): DatabaseSummary {
  return {
    path,
    bytes: 4_831_232,
    line: "16+",
    layout: "16 layout",
    metrics: null,
    patterns: null,
    orphaned_metadata: 0,
    quarantined: [],
    ...parts,
  };
}

/** A summary of the size that teams have, with each kind of source. */
export function richSummary(sizes: Sizes = {}): Summary {
  const { days = 180, users = 60, seed = 1 } = sizes;
  return {
    ...emptySummary(),
    targets: ["/srv/agents/data"],
    different_patterns: 102,
    databases: [
      sampleDatabase("/srv/agents/data/metrics.db", { metrics: sampleMetrics({ days, users, ...sizes }) }),
      sampleDatabase("/srv/agents/data/patterns.db", { bytes: 219_136, patterns: samplePatterns(sizes) }),
      sampleDatabase("/srv/agents/data/other/metrics.db", {
        bytes: 702_464,
        line: "pre-16",
        layout: "15 layout",
        metrics: {
          ...sampleMetrics({ days: 60, users: 9, trajectories: 3, seed: seed + 5 }),
          users: 9,
          without_time: 4,
        },
        patterns: { ...samplePatterns({ patterns: 14, seed: seed + 5 }), patterns: 14 },
      }),
    ],
    libraries: [
      {
        path: "/srv/agents/data/exports/library.json",
        bytes: 48_310,
        patterns: { ...samplePatterns({ patterns: 40, seed: 9 }), patterns: 40 },
      },
    ],
    state_directories: [sampleStates("/srv/agents/data/states")],
    archives: [{ ...sampleStates("/srv/agents/data/archive/states-2025-01.sqlar", 8), invalid: 0 }],
    backups: [
      {
        path: "/srv/agents/data/other/metrics.db.backup-20250601T080000Z",
        bytes: 688_128,
        of: "/srv/agents/data/other/metrics.db",
      },
    ],
    left_alone: [{ path: "/srv/agents/data/notes.txt", reason: "not a database, library or state" }],
    unreadable: [{ path: "/srv/agents/data/old/locked.db", reason: "permission denied" }],
  };
}

/** A migration that lost nothing, or one that lost rows and changed a value. */
export function sampleComparison({ complete = true }: { complete?: boolean } = {}): Comparison {
  const metrics = sampleMetrics();
  const after = complete ? metrics : withoutDays(metrics, 12);
  const before: Summary = {
    ...emptySummary(),
    targets: ["/srv/agents/before"],
    databases: [
      sampleDatabase("/srv/agents/before/metrics.db", { line: "pre-16", layout: "15 layout", metrics }),
      sampleDatabase("/srv/agents/before/patterns.db", {
        line: "pre-16",
        layout: "15 layout",
        patterns: samplePatterns(),
      }),
    ],
  };
  const migrated: Summary = {
    ...emptySummary(),
    targets: ["postgresql://db.example.org/agents?schema=public"],
    databases: [
      sampleDatabase("postgresql://db.example.org/agents?schema=public", {
        bytes: null,
        metrics: after,
        patterns: samplePatterns(),
      }),
    ],
  };
  const value = (number: number): string => number.toLocaleString("en-US");
  const row = (subject: string, fact: string, one: string, other: string) => ({
    subject,
    fact,
    before: one,
    after: other,
    result: one === other ? ("same" as const) : other === "" ? ("missing" as const) : ("changed" as const),
  });
  const facts = [
    row("metrics", "number of operations", value(metrics.operations), value(after.operations)),
    row("metrics", "number of users", value(metrics.users), value(after.users)),
    ...metrics.top_users.map((user, index) =>
      row(
        "metrics",
        `operations of the user ${user.user_id}`,
        value(user.total_operations),
        complete || index !== 7 ? value(user.total_operations) : "",
      ),
    ),
    row("patterns", "number of patterns", "102", "102"),
    ...samplePatterns().top_patterns.map((pattern) =>
      row("patterns", `uses of the pattern ${pattern.id}`, value(pattern.usage_count), value(pattern.usage_count)),
    ),
    { subject: "metrics", fact: "operations of the user new", before: "", after: "3", result: "added" as const },
  ];
  return {
    format: "perdura-comparison-1",
    made_at: "2025-07-05T09:30:00Z",
    program: "perdura-migrate 0.1.0",
    before,
    after: migrated,
    compared: [
      {
        subject: "metrics",
        item: "row",

        before: metrics.operations,
        same: after.operations,
        missing: metrics.operations - after.operations,
        changed: 0,
        quarantined: 0,
        added: 3,
      },
      {
        subject: "patterns",
        item: "pattern",

        before: 102,
        same: 102,
        missing: 0,
        changed: 0,
        quarantined: 0,
        added: 0,
      },
    ],
    facts,
    complete,
  };
}

function withoutDays(metrics: MetricsSummary, days: number): MetricsSummary {
  const periods = metrics.trend.periods.slice(0, -days);
  return {
    ...metrics,
    operations: sum(periods.map((period) => period.total_operations)),
    trend: { bucket: "day", periods },
  };
}

function dayAt(index: number): string {
  return new Date(START + index * DAY).toISOString().slice(0, 10);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
