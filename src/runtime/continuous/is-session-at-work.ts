import { isAtWork } from "../../decide/continuous/continuous-due.ts";
import type { Ports } from "../ports.ts";
import { listContinuous, readContinuous } from "./read-continuous.ts";

/** Whether a supervisor on its way out leaves a continuous session that goes on by itself. */
export async function isSessionAtWork({
  journal,
  world,
}: Pick<Ports, "journal" | "world">): Promise<boolean> {
  for (const name of await listContinuous(journal, ["running"]))
    if (isAtWork(await readContinuous(journal, name), world.now())) return true;
  return false;
}
