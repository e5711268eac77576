// Runs a command on the pinned Node, whatever Node the machine has: node scripts/on-node.mjs COMMAND [ARGUMENT]...
import { runOnPinnedNode } from "./pinned-node.mjs";
import { setUpOrExit } from "./setup.mjs";

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  process.stderr.write("usage: node scripts/on-node.mjs COMMAND [ARGUMENT]...\n");
  process.exit(2);
}
setUpOrExit("build");
process.exitCode = await runOnPinnedNode(command, args);
