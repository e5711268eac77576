import { cpus, release, totalmem, type } from "node:os";

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
}

export function thisMachine(postgres: string | null): Machine {
  const cores = cpus();
  return {
    processor: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryGb: Math.round(totalmem() / 1_024 ** 3),
    kernel: `${type()} ${release()}`,
    node: process.versions.node,
    sqlite: process.versions["sqlite"] ?? "unknown",
    postgres,
  };
}
