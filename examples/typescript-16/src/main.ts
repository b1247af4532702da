import { openPersistence } from "perdura";
import { PatternPersistence } from "perdura/pattern_persistence";
import { loadPatterns } from "./known_patterns.ts";
import { WeatherAgent } from "./weather_agent.ts";
import { WeatherService } from "./weather_service.ts";

const persistence = openPersistence({ user_id: "alice", persistence_path: "data" });
const library = loadPatterns(persistence.patterns);
const agent = new WeatherAgent(new WeatherService(), persistence, library);

for (const city of ["Lisbon", "Oslo", "Rome"]) console.log(await agent.answer("alice", city));

persistence.patterns.save(library);
PatternPersistence.saveToJson(library, "data/patterns.json"); // a readable copy

const { total_operations, success_rate, current_level } = persistence.metrics.getUserStats("alice");
console.log(`alice: ${total_operations} questions, ${success_rate * 100}% answered, level ${current_level}`);
for (const { name, usage_count, success_count } of library.patterns.values())
  console.log(`${name}: used ${usage_count} times, helped ${success_count} times`);
persistence.close();
