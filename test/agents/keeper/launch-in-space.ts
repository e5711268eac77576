/** Starts a session that sleeps, and stays: run as the first process of a PID namespace. Usage: launch-in-space FOLDER */
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { realWorld } from "../../../src/real-world.ts";

const [folder = ""] = process.argv.slice(2);
const outcome = await launchSession(realWorld(), {
  session: sessionFolder(folder, "s-1"),
  command: ["sh", "-c", `printf '%s\\n' '{"kind":"progress","text":"at work"}'; exec sleep 600`],
  cwd: folder,
  order: {},
});
process.stdout.write(`${outcome.kind}\n`);
setInterval(() => undefined, 60_000);
