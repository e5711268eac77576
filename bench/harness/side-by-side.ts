import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Asked, Said } from "../children/append-beside.ts";

const PROGRAM = path.join(import.meta.dirname, "..", "children", "append-beside.ts");

/** So many processes that append at the same time, each to a run of its own. */
export interface Appenders {
  /** How long each append took that was made in that time, of all processes. */
  appendFor(forMs: number): Promise<number[]>;
  close(): Promise<void>;
}

export async function startAppenders(
  side: "plain" | "journal",
  url: string,
  processes: number,
): Promise<Appenders> {
  const children: ChildProcess[] = [];
  for (let nth = 0; nth < processes; nth += 1) {
    const run = `run_of_${String(processes)}_${String(nth)}`;
    const child = fork(PROGRAM, [side, url, run], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    await once(child, "message");
    children.push(child);
  }
  return {
    async appendFor(forMs) {
      const answers = children.map((child) => once(child, "message") as Promise<[Said]>);
      for (const child of children) child.send({ forMs } satisfies Asked);
      const said = await Promise.all(answers);
      return said.flatMap(([one]) => (one.kind === "done" ? one.tookMs : []));
    },
    async close() {
      const gone = children.map((child) => once(child, "exit"));
      for (const child of children) child.disconnect();
      await Promise.all(gone);
    },
  };
}
