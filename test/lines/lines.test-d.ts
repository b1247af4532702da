// Never run: `pnpm types` finds errors here.
import type { MetricsQuestions } from "@perdura/internals/metrics/questions.js";
import type { PostgresMetricsCollector } from "@perdura/postgres";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { expectTypeOf, test } from "vitest";

test("a library of one line has the type of the other line's library", () => {
  expectTypeOf<v15.PatternLibrary>().toExtend<v16.PatternLibrary>();
  expectTypeOf<v16.PatternLibrary>().toExtend<v15.PatternLibrary>();
  expectTypeOf(v16.PatternPersistence.saveToJson).toBeCallableWith(new v15.PatternLibrary(), "x.json");
  expectTypeOf(v15.PatternPersistence.saveToSqlite).toBeCallableWith(new v16.PatternLibrary(), "x.db", {
    mode: "replace",
  });
  expectTypeOf(v15.PatternPersistence.loadFromJson).returns.toExtend<v16.PatternLibrary>();
});

test("record calls have the arguments of their line", () => {
  expectTypeOf<v15.MetricsCollector["recordMetric"]>().parameters.toEqualTypeOf<
    [string, number, boolean, number, (object | null | undefined)?]
  >();
  expectTypeOf<v16.MetricsCollector["recordMetric"]>().parameters.toEqualTypeOf<
    [string, boolean, number, (object | null | undefined)?]
  >();
  expectTypeOf<v15.MetricsCollector["recordInteraction"]>().parameters.toEqualTypeOf<
    [string, number, boolean, number]
  >();
  expectTypeOf<v16.MetricsCollector["recordInteraction"]>().returns.toBeNumber();
  expectTypeOf<v15.InteractionRecord>().toHaveProperty("empathy_level");
  expectTypeOf<v16.InteractionRecord>().not.toHaveProperty("empathy_level");
});

test("statistics have the keys of the specification", () => {
  expectTypeOf<v16.UserStats["level_1_count"]>().toBeNumber();
  expectTypeOf<v16.UserStats["current_level"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<v16.UserStats["first_use"]>().toEqualTypeOf<string | null>();
  expectTypeOf<keyof v16.GlobalStats>().toEqualTypeOf<"total_users" | "total_interactions" | "success_rate">();
});

test("every kind of collector has the same questions with the same arguments", () => {
  type Arguments<Collector extends Record<keyof MetricsQuestions, (...given: never[]) => unknown>> = {
    [Question in keyof MetricsQuestions]: Parameters<Collector[Question]>;
  };
  type Expected = Arguments<MetricsQuestions>;
  expectTypeOf<Arguments<v15.MetricsCollector>>().toEqualTypeOf<Expected>();
  expectTypeOf<Arguments<v16.MetricsCollector>>().toEqualTypeOf<Expected>();
  expectTypeOf<Arguments<v16.AsyncMetrics>>().toEqualTypeOf<Expected>();
  expectTypeOf<Arguments<PostgresMetricsCollector>>().toEqualTypeOf<Expected>();
  type Listing = [options?: v16.ListOptions | undefined];
  expectTypeOf<v15.MetricsCollector["listInteractions"]>().parameters.toEqualTypeOf<Listing>();
  expectTypeOf<v16.MetricsCollector["listInteractions"]>().parameters.toEqualTypeOf<Listing>();
  expectTypeOf<v16.AsyncMetrics["listInteractions"]>().parameters.toEqualTypeOf<Listing>();
  expectTypeOf<PostgresMetricsCollector["listInteractions"]>().parameters.toEqualTypeOf<Listing>();
});

test("only 15 has StateManager and the field target_level", () => {
  expectTypeOf<v15.StateManager["loadState"]>().returns.toEqualTypeOf<v15.CollaborationState | null>();
  // @ts-expect-error removed in 16.0.0
  expectTypeOf<v16.StateManager>().toBeNever();
  expectTypeOf<v15.Configuration>().toHaveProperty("target_level");
  expectTypeOf<v16.Configuration>().not.toHaveProperty("target_level");
});

test("the context of a pattern has the type of a JSON object", () => {
  expectTypeOf<v16.Pattern["context"]>().toEqualTypeOf<v16.JsonObject | null>();
  expectTypeOf<v16.PatternLibrary["contribute"]>().toBeCallableWith("a", {
    id: "p",
    pattern_type: "t",
    name: "n",
    context: { big: 1n, list: [null] },
  });
  expectTypeOf<v16.PatternLibrary["patterns"]>().toEqualTypeOf<Map<string, v16.Pattern>>();
});

test("values of interfaces and records are taken for JSON objects", () => {
  interface Call {
    tool: string;
    tokens?: number;
  }
  const call = null as unknown as Call;
  const record = null as unknown as Record<string, unknown>;
  for (const metadata of [call, record]) {
    expectTypeOf<v15.MetricsCollector["recordMetric"]>().toBeCallableWith("a", 1, true, 1, metadata);
    expectTypeOf<v16.MetricsCollector["recordMetric"]>().toBeCallableWith("a", true, 1, metadata);
    expectTypeOf<v16.AsyncMetrics["recordMetric"]>().toBeCallableWith("a", true, 1, metadata);
    expectTypeOf<v16.MetricsWriter["recordMetric"]>().toBeCallableWith("a", true, 1, metadata);
    expectTypeOf<PostgresMetricsCollector["recordMetric"]>().toBeCallableWith("a", true, 1, metadata);
    expectTypeOf<v16.MetricsCollector["recordMany"]>().toBeCallableWith([
      { user_id: "a", level: 1, success: true, response_time_ms: 1, metadata },
    ]);
    const pattern = { id: "p", pattern_type: "t", name: "n", context: metadata };
    expectTypeOf<v16.PatternLibrary["contribute"]>().toBeCallableWith("a", pattern);
  }
  interface State {
    user_id: string;
    trust_level: number;
    notes: Call[];
  }
  expectTypeOf<v15.StateManager["saveState"]>().toBeCallableWith("a", null as unknown as State);
  // @ts-expect-error without the required field
  expectTypeOf<v15.StateManager["saveState"]>().toBeCallableWith("a", null as unknown as Call);
});
