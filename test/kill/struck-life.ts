import { join } from "node:path";
import type { FunctionAgent } from "../../src/agents/function/function-agent.ts";
import { openSystem, type System } from "../../src/main.ts";
import type { RunRequest } from "../../src/model/requests/requests.ts";
import { hostSettingsSchema } from "../../src/model/settings/settings.ts";
import { createRun } from "../../src/runtime/create-run.ts";
import { isStarted } from "../built-program.ts";

export type StruckRun = Omit<Parameters<typeof createRun>[2], "cwd" | "by"> & { readonly id: string };

/** A program that is killed: one run, and a person who acts on what the journal shows. */
interface Life {
  readonly file: string;
  readonly run: StruckRun;
  readonly functions: (tree: string) => Map<string, FunctionAgent>;
  /** Makes the folder that the run works in, if it is not there yet. */
  readonly prepare: (tree: string) => void;
  /** What a person does next; true when all is over. */
  readonly operate: (system: System, tree: string) => Promise<boolean>;
}

const LOOK_MS = 10;

/** Lives in the folder that the program was called with; started again on it, it goes on where the journal stops. */
export async function liveIn(tree: string, life: Life): Promise<void> {
  const [folder] = process.argv.slice(2);
  if (folder === undefined || !isStarted(life.file)) return;
  const cwd = join(folder, tree);
  life.prepare(cwd);
  const settings = hostSettingsSchema.parse({ supervisor: { scanMs: 20 } });
  const store = `sqlite:${join(folder, "journal.db")}`;
  const system = await openSystem({ store, settings, functions: life.functions(cwd) });
  if ((await system.ports.journal.head(life.run.id)) === null) {
    const { epoch } = await createRun(system.ports, system.leases, { ...life.run, cwd, by: "test" });
    await system.leases.release(life.run.id, epoch);
  }
  const supervisor = system.supervisor();
  const working = supervisor.work();
  while (!(await life.operate(system, cwd))) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  supervisor.stop();
  await working;
  await system.close();
}

/** Asks once, however often it is called. */
export async function askOnce({ ports }: System, run: string, request: RunRequest): Promise<void> {
  const id = `req_${request.kind}`;
  await ports.journal.ask({ id, address: run, request, by: "test", at: ports.world.now() });
}
