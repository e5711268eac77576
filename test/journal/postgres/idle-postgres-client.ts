// Opens a journal, writes, watches, and forgets to close it: node idle-postgres-client.ts ADDRESS
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { written } from "../contract/scene.ts";

const [url = ""] = process.argv.slice(2);
const journal = await openPostgresJournal({ url, schema: "idle_client", world: realWorld() });
journal.watch(() => undefined);
await written(journal, "run_a", 3);
