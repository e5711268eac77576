import { spawnSync } from "node:child_process";
import path from "node:path";
import { BOMBS } from "./document-bombs.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";

/** Far more than all of them take; a hang is no answer. */
const HANG_MS = 240_000;

interface Reported {
  readonly reader?: string;
  readonly bomb?: string;
  readonly threw?: string;
  readonly done?: true;
}

async function explode({ folder, count }: Stage): Promise<Tried> {
  const program = path.join(import.meta.dirname, "explode.ts");
  const { stdout, stderr } = spawnSync(process.execPath, [program, folder, String(count)], {
    ...{ encoding: "utf8", timeout: HANG_MS, killSignal: "SIGKILL" as const },
  });
  const reported = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Reported);
  const last = reported.at(-1);
  return tried(reported.filter(({ reader }) => reader !== undefined).length, [
    ...reported.flatMap(({ threw }) => (threw === undefined ? [] : [threw])),
    ...(last?.done === true
      ? []
      : [`never came back: ${last?.reader ?? "nothing was read"} on ${last?.bomb ?? stderr.slice(-500)}`]),
  ]);
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T25", level: "any", promised: "prevented" },
    count: { full: Object.keys(BOMBS).length, short: 4 },
    title: "documents that blow up are given to everything that reads JSON or YAML",
    run: explode,
  },
];
