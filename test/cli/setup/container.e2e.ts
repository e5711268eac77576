import assert from "node:assert/strict";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { containerFolder, inContainer, noContainers } from "../in-container.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(0);

type Program = ChildProcessByStdio<null, Readable, Readable>;
const folders = [containerFolder(), containerFolder(), containerFolder()] as const;
const skip = noContainers(folders[0]);
const here = (name: string): string => path.join(import.meta.dirname, "..", name);

after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Everything a program prints, once it has ended well; `printed` is called after each part. */
async function said(child: Program, printed: (all: string) => void = () => undefined): Promise<string> {
  let all = "";
  const take = (part: Buffer): void => printed((all += part.toString()));
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(code, 0, all);
  return all;
}

/** Ends the supervisor as a container runtime does, once it is at work. */
function upAndDown(folder: string): Promise<string> {
  const child = inContainer(folder, here("run-cli.ts"), "up");
  const parent = String(child.pid);
  let isEnding = false;
  return said(child, (all) => {
    if (isEnding || !all.includes("supervisor of")) return;
    isEnding = true;
    const [first = ""] = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ");
    process.kill(Number(first), "SIGTERM");
  });
}

test(
  "A2 P4 as the first process of a container (read-only root, a user without a name, no HOME) library, run and up work",
  { skip, timeout: 60_000 },
  async () => {
    const [program, run, up] = await Promise.all([
      said(inContainer(folders[0], here("container-program.ts"), `sqlite:${folders[0]}/store.db`)),
      said(inContainer(folders[1], here("run-cli.ts"), "run", "say hello", "--agent", "demo")),
      upAndDown(folders[2]),
    ]);
    assert.equal(program, "process 1 has 42\n");
    assert.match(run, /is completed/);
    assert.match(up, /supervisor of .* \(pid 1\)[^]*SIGTERM: letting go/);
  },
);
