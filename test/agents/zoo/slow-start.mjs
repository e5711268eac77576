// Says nothing for two seconds, then works well.
import { setTimeout as delay } from "node:timers/promises";
await delay(2_000);
process.stdout.write('{"type":"ready"}\n{"type":"done"}\n');
