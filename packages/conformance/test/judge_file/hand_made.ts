import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { checkFile, type CheckFileOptions } from "../../src/judge_file/check_file.ts";
import type { FileReport } from "../../src/judge_file/file_report.ts";

export const PATTERNS = `CREATE TABLE patterns (id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, pattern_type TEXT NOT NULL, name TEXT NOT NULL,
  description TEXT, context TEXT, code TEXT, confidence REAL DEFAULT 0.5, usage_count INTEGER DEFAULT 0, success_count INTEGER DEFAULT 0,
  failure_count INTEGER DEFAULT 0, tags TEXT, discovered_at TIMESTAMP, last_used TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);`;
export const USAGE = `CREATE TABLE pattern_usage (id INTEGER PRIMARY KEY AUTOINCREMENT, pattern_id TEXT NOT NULL, agent_id TEXT NOT NULL,
  success BOOLEAN NOT NULL, used_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, FOREIGN KEY (pattern_id) REFERENCES patterns(id));`;
export const PATTERN_INDEXES = `CREATE INDEX idx_patterns_agent ON patterns(agent_id); CREATE INDEX idx_patterns_type ON patterns(pattern_type);
  CREATE INDEX idx_patterns_confidence ON patterns(confidence);`;
export const INTERACTIONS = `CREATE TABLE interactions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, level INTEGER NOT NULL,
  success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP);`;
export const INTERACTION_INDEXES = `CREATE INDEX idx_interactions_user ON interactions(user_id);
  CREATE INDEX idx_interactions_timestamp ON interactions(timestamp);`;

export const patternsDatabase = `${PATTERNS}${USAGE}${PATTERN_INDEXES}
  INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('p1', 'a', 't', 'n');
  INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES ('p1', 'a', 1);`;
export const metricsDatabase = `${INTERACTIONS}${INTERACTION_INDEXES}
  INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES ('alice', 3, 1, 12.5);`;

/** Writes a database; defensive checks are off, as for an attacker. */
export function writeDatabase(path: string, sql: string): string {
  const database = new Database(path);
  database.unsafeMode();
  database.pragma("foreign_keys = OFF");
  database.exec(sql);
  database.close();
  return path;
}

let number = 0;

/** Checks a database that was made for the test. */
export function checkDatabase(folder: string, sql: string, options: CheckFileOptions = {}): FileReport {
  return checkFile(writeDatabase(join(folder, `made-${(number += 1)}.db`), sql), options);
}

/** Checks a text that was made for the test. */
export function checkText(folder: string, text: string | Uint8Array, options: CheckFileOptions = {}): FileReport {
  const path = join(folder, `made-${(number += 1)}.json`);
  writeFileSync(path, text);
  return checkFile(path, options);
}

/** The findings in short form: level, requirement and place. */
export function brief({ findings }: FileReport): string[] {
  return findings.map(({ level, requirement, at }) => `${level} ${requirement ?? "-"} ${at}`);
}

/**
 * A text with one replacement; throws if the text does not contain the part, since the test would then test nothing.
 */
export function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`the text does not hold ${part}`);
  return text.replace(part, by);
}
