// Closes its voice and lives on.
import { closeSync } from "node:fs";
process.stdout.write('{"type":"ready"}\n', () => {
  closeSync(1);
  closeSync(2);
});
setInterval(() => undefined, 60_000);
