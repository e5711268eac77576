import { readFileSync, readdirSync } from "node:fs";

/** Processes that were started for this stage: it has a home of its own, which they know. */
export function processesOf(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = textOf(`/proc/${pid}/environ`);
      return environment.includes(`HOME=${folder}`)
        ? [`${pid} ${textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`]
        : [];
    });
}

export function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
