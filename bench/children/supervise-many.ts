// Is the supervisor of so many runs at once, each with a terminal program at work, until all have their task and it has
// watched them for a while; then ends them and prints its peak of memory: node supervise-many.ts FILE COUNT
import { openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import { sessionKey } from "../../src/model/ids.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { readSaid, TASK_KEY } from "../../src/agents/tmux/type/said-record.ts";
import { terminalFolder } from "../../src/agents/tmux/terminal-folder.ts";
import { measureOnce } from "./measured.ts";

const [, , file = "", many = "1"] = process.argv;
const WATCHED_MS = 10_000;
const LIMIT_MS = 500_000;
/** Waits for its task, takes it, and never ends its turn. */
const PROGRAM = ["/bin/sh", "-c", "printf 'ready> '; read -r task; echo taken; exec cat"];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function work(): Promise<number> {
  const settings = configSchema.parse({ limits: { runsAtOnce: Number(many) } });
  const system = await openSystem({ store: `sqlite:${file}`, settings });
  const runs = Array.from({ length: Number(many) }, (_, index) => `many-${String(index)}`);
  for (const id of runs) await create(system, id);
  const working = system.host.work();
  const told = (): number =>
    runs.filter((run) => {
      const terminal = terminalFolder(`${file}-sessions`, sessionKey(run, "work", 1));
      return readSaid(terminal, TASK_KEY)?.state === "sent";
    }).length;
  for (const until = Date.now() + LIMIT_MS; told() < runs.length && Date.now() < until;) await pause(500);
  await pause(WATCHED_MS);
  const count = told();
  system.host.stop(true);
  await working;
  await system.close();
  return count;
}

async function create(system: Awaited<ReturnType<typeof openSystem>>, id: string): Promise<void> {
  const { run, epoch } = await system.createRun({
    id,
    goal: "do it",
    flow: {
      name: "goal",
      steps: [{ name: "work", task: "do it", agent: "a", needs: [], authority: "writes", checks: [] }],
      phases: [],
    },
    agents: { a: { use: "tmux", command: PROGRAM, prompt: "^ready> $" } },
    settings: runSettingsSchema.parse({ startup: { termGraceMs: 500 } }),
    budget: {},
    cwd: process.cwd(),
    by: "bench",
  });
  await system.leases.release(run, epoch);
}

await measureOnce(work);
