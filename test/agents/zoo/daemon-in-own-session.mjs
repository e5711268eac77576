// Leaves a child behind in a session of its own, without its standard streams, and goes.
import { spawn } from "node:child_process";
spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).unref();
process.stdout.write('{"type":"ready"}\n');
