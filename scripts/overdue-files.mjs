// Ends test files that the runner cannot end. It asks an overdue file politely, and a file that spins with a handler
// for that signal never hears it; one such file would hold up the whole run.
import { spawnSync } from "node:child_process";

/** Hears the runner's events; kills the process of a file that is still there some time after its timeout. */
export function watchOverdueFiles(timeoutMs) {
  const timers = new Map();
  return {
    hear({ type, data }) {
      if (data?.nesting !== 0 || data.name === undefined || data.name !== data.file) return;
      if (type === "test:dequeue")
        timers.set(
          data.file,
          setTimeout(() => killRunnerOf(data.file), timeoutMs * 1.05),
        );
      if (type === "test:complete") clearTimeout(timers.get(data.file));
    },
    close: () => timers.forEach((timer) => clearTimeout(timer)),
  };
}

function killRunnerOf(file) {
  const listing = spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).stdout ?? "";
  for (const line of listing.split("\n")) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    if (parent === process.pid && line.endsWith(file)) process.kill(pid, "SIGKILL");
  }
}
