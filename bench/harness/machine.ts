import { readFileSync } from "node:fs";
import { cpus, getPriority, loadavg, release, totalmem, type } from "node:os";

/** Whatever a reader needs to judge the figures, and nothing that names a machine. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly sqlite: string;
  /** Null where there is none. */
  readonly postgres: string | null;
  /** How many processes wanted a core, on average over the minute before anything was measured. */
  readonly load: number;
  /** Of the bench, where it is not everybody's. */
  readonly priority: string | null;
}

/** What else the machine does: a busy disk flatters some ratios, and busy cores spoil others. */
export const loadNow = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10;

export function thisMachine({ postgres, load }: Pick<Machine, "postgres" | "load">): Machine {
  const cores = cpus();
  return {
    processor: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryGb: Math.round(totalmem() / 1_024 ** 3),
    kernel: `${type()} ${release()}`,
    node: process.versions.node,
    sqlite: process.versions["sqlite"] ?? "unknown",
    postgres,
    load,
    priority: ownPriority(),
  };
}

const POLICY_FIELD = 41;
const REAL_TIME: readonly (string | undefined)[] = ["1", "2"];

/** What is in front of the fields that are counted, the name of the program among them, ends with a parenthesis. */
function ownPriority(): string | null {
  const nice = getPriority();
  if (process.platform === "linux") {
    const stat = readFileSync("/proc/self/stat", "latin1");
    const policy = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[POLICY_FIELD - 3];
    if (REAL_TIME.includes(policy)) return "real-time priority";
  }
  return nice === 0 ? null : `priority ${String(nice)}`;
}
