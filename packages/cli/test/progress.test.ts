import { describe, expect, test } from "vitest";
import { displayWidth } from "../src/display_width.ts";
import { type Progress, progressLine } from "../src/progress_line.ts";
import { progressPrinter } from "../src/progress_printer.ts";
import { durationText, TimeLeft } from "../src/time_left.ts";

const event = (done: number | null, total: number | null, unit: Progress["unit"] = "rows"): Progress => ({
  event: "progress",
  path: "/somewhere/far/away/in/a/deep/tree/metrics.db",
  stage: "verify",
  detail: "comparing every row with the copy",
  done,
  total,
  unit,
});

describe("the progress line", () => {
  test("shows the step, the share, the amount and the time left", () => {
    expect(progressLine(event(6_200_000, 10_000_000), 42, 200)).toMatch(
      /metrics\.db: comparing every row with the copy {2}\[#{12}\.{8}\] {2}62% {2}6,200,000 of 10,000,000 rows {2}about 45 s left in this step$/,
    );
    expect(progressLine(event(1_500_000, 3_000_000_000, "bytes"), null, 200)).toMatch(/0% {2}1\.5 MB of 3\.0 GB$/);
    expect(progressLine(event(1234, null, "entries"), null, 200)).toMatch(/copy {2}1,234 entries$/);
    expect(progressLine(event(null, null, null), null, 200)).toMatch(/copy$/);
  });

  test.each([20, 40, 60, 80, 120, 200])("fits into %i columns, and keeps the percentage", (width) => {
    for (const left of [null, 3, 5000]) {
      const line = progressLine(event(999, 1000), left, width);
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
      expect(line).toContain("99%");
    }
  });

  test("shows 100 % only at the end", () => {
    expect(progressLine(event(999_999, 1_000_000), null, 80)).toContain(" 99%");
    expect(progressLine(event(1_000_000, 1_000_000), null, 80)).toContain("100%");
  });
});

describe("time left", () => {
  const watched = (speeds: readonly number[], total: number): number | null => {
    const estimate = new TimeLeft();
    let done = 0;
    speeds.forEach((speed, second) => estimate.observe((done += speed), second * 1000));
    return estimate.seconds(total);
  };

  test("is estimated from a steady speed", () => {
    expect(watched([0, 10, 10, 10, 10], 100)).toBeCloseTo(6);
    expect(watched([0, 50, 50, -100, 10, 10, 10, 10], 100)).toBeCloseTo(6);
    expect(durationText(6)).toBe("about 10 s");
    expect(durationText(61)).toBe("about 1 min");
    expect(durationText(4900)).toBe("about 1 h 20 min");
  });

  test("is not estimated at the beginning, with little progress, at the end, and after a change of speed", () => {
    expect(watched([0, 10], 100)).toBeNull();
    expect(watched([0, 1, 1, 1], 1_000_000)).toBeNull();
    expect(watched([0, 25, 25, 25, 25], 100)).toBeNull();
    expect(watched([0, ...Array<number>(5).fill(100), ...Array<number>(15).fill(1)], 1000)).toBeNull();
  });
});

describe("the printer", () => {
  const screen = (isTTY: boolean) => {
    const written: string[] = [];
    return { isTTY, columns: 60, written, write: (text: string) => written.push(text) };
  };
  const events = [event(null, null, null), event(1, 3), event(2, 3), { ...event(3, 3), stage: "commit" as const }];

  test("overwrites one line on a terminal, and clears it", () => {
    const [place, clock] = [screen(true), { now: 0 }];
    const { print, clear } = progressPrinter({ json: false, quiet: false }, place, () => (clock.now += 100));
    for (const one of events) print(one);
    clear();
    expect(place.written).toHaveLength(5);
    expect(place.written.every((text) => text.startsWith("\r\u001b[2K") && !text.includes("\n"))).toBe(true);
    expect(place.written.at(-1)).toBe("\r\u001b[2K");
  });

  test("limits the rate of drawing", () => {
    const place = screen(true);
    const { print } = progressPrinter({ json: false, quiet: false }, place, () => 0);
    for (let done = 0; done < 1000; done += 1) print(event(done, 1000));
    expect(place.written.length).toBeLessThan(5);
  });

  test("uses the real clock by default", () => {
    // Wide enough for every number, so that all lines are different.
    const place = { ...screen(true), columns: 200 };
    const { print } = progressPrinter({ json: false, quiet: false }, place);
    for (let done = 0; done < 1000; done += 1) print(event(done, 1000));
    expect(place.written.length).toBeLessThan(1000);
  });

  test("draws a new step, its end, and progress after a pause at once", () => {
    const [place, clock] = [screen(true), { now: 0 }];
    const { print } = progressPrinter({ json: false, quiet: false }, place, () => clock.now);
    const drawnBy = (one: Progress): number => {
      const before = place.written.length;
      print(one);
      return place.written.length - before;
    };
    expect(drawnBy(event(0, 1000))).toBe(1);
    clock.now = 59;
    expect(drawnBy(event(500, 1000))).toBe(0);
    clock.now = 60;
    expect(drawnBy(event(600, 1000))).toBe(1);
    // The line would be the same.
    clock.now = 120;
    expect(drawnBy(event(600, 1000))).toBe(0);
    expect(drawnBy(event(1000, 1000))).toBe(1);
    expect(drawnBy(event(0, 2000))).toBe(1);
    expect(drawnBy({ ...event(0, 2000), detail: "something else" })).toBe(1);
  });

  test("clears nothing before it has drawn, and leaves one column free", () => {
    const place = screen(true);
    const { print, clear } = progressPrinter({ json: false, quiet: false }, place, () => 0);
    clear();
    expect(place.written).toEqual([]);
    print(event(500, 1000));
    clear();
    clear();
    expect(place.written).toHaveLength(2);
    expect(displayWidth(place.written[0]?.slice("\r\u001b[2K".length) ?? "")).toBe(59);
    print(event(500, 1000));
    expect(place.written).toHaveLength(3);
  });

  test("assumes 80 columns if the terminal does not report its width", () => {
    const place = { ...screen(true), columns: 0 };
    progressPrinter({ json: false, quiet: false }, place, () => 0).print(event(500, 1000));
    expect(displayWidth(place.written[0]?.slice("\r\u001b[2K".length) ?? "")).toBe(79);
  });

  test("shows the time left once it is known, and starts again with the next step", () => {
    const [place, clock] = [{ ...screen(true), columns: 200 }, { now: 0 }];
    const { print } = progressPrinter({ json: false, quiet: false }, place, () => clock.now);
    for (let second = 0; second <= 4; second += 1) {
      clock.now = second * 1000;
      print(event(second * 100, 1000));
    }
    expect(place.written.at(-1)).toMatch(/ {2}about 10 s left in this step$/);
    print(event(400, 1001));
    expect(place.written.at(-1)).not.toContain("about");
    print(event(5, null));
    expect(place.written.at(-1)).toMatch(/ {2}5 rows$/);
  });

  test("prints one line per stage without a terminal, JSON with --json, and nothing with --quiet", () => {
    const [lines, json, quiet] = [screen(false), screen(true), screen(true)];
    for (const one of events) {
      progressPrinter({ json: true, quiet: false }, json).print(one);
      progressPrinter({ json: false, quiet: true }, quiet).print(one);
    }
    const { print } = progressPrinter({ json: false, quiet: false }, lines);
    for (const one of events) print(one);
    expect(lines.written.map((text) => text.split(": ")[1])).toEqual(["verify", "commit"]);
    expect(json.written.map((text) => JSON.parse(text) as Progress)).toEqual(events);
    expect(quiet.written).toEqual([]);
  });
});
