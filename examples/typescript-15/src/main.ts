import { openPersistence, PatternPersistence } from "perdura/persistence";
import { loadPatterns } from "./known_patterns.ts";
import { WeatherAgent } from "./weather_agent.ts";
import { WeatherService } from "./weather_service.ts";

const persistence = openPersistence({ user_id: "alice", persistence_path: "data", target_level: 4 });
const library = loadPatterns(persistence.patterns);
const agent = new WeatherAgent(new WeatherService(), persistence, library);

for (const city of ["Lisbon", "Oslo", "Rome"]) console.log(await agent.answer("alice", city));

persistence.patterns.save(library);
PatternPersistence.saveToJson(library, "data/patterns.json"); // a readable copy

const { total_operations, success_rate } = persistence.metrics.getUserStats("alice");
console.log(`alice: ${total_operations} questions, ${success_rate * 100}% answered`);
const state = persistence.states.loadState("alice");
console.log(`alice: trust ${state?.trust_level}, level ${state?.current_level} of ${persistence.target_level}`);
for (const { name, usage_count, success_count } of library.patterns.values())
  console.log(`${name}: used ${usage_count} times, helped ${success_count} times`);
persistence.close();
