/**
 * Kills a real PostgreSQL server with SIGKILL in the middle of appends, again and again, and checks that nothing
 * acknowledged is lost, nothing is doubled, and every client comes back by itself.
 *
 * Usage: npm run chaos:postgres -- [--times 100]
 * Ends with exit 1 if anything is violated, and with 2 if no server can be started here. Loopback only.
 */
import { parseWords } from "../../sim/people/parse-words.ts";
import { restartStorm } from "../journal/postgres/postgres-restarts.ts";
import { postgresMissing } from "../postgres-server.ts";

const { values } = parseWords({ options: { times: { type: "string", default: "100" } } });
const missing = postgresMissing();
if (missing !== null) {
  console.error(missing);
  process.exit(2);
}
const { violations, ...report } = await restartStorm(Number(values.times));
console.log(JSON.stringify(report));
for (const violation of violations) console.log(`✖ ${violation}`);
console.log(`${String(report.restarts)} restarts, ${String(violations.length)} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
