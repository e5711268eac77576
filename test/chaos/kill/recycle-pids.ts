import { spawnSync } from "node:child_process";
import path from "node:path";

export type Recycled =
  | { readonly kind: "done"; readonly text: string }
  | { readonly kind: "impossible"; readonly why: string }
  | { readonly kind: "violated"; readonly text: string };

const LIMIT_MS = 120_000;
/** Where the next pid cannot be chosen. */
const CANNOT_CHOOSE = 3;

/** Gives so many pids of dead keepers to strangers, in a pid namespace of its own. */
export function recyclePids(times: number): Recycled {
  const program = path.join(import.meta.dirname, "recycled-pid.ts");
  // A shell comes first there: who is first collects orphans, and cannot be a supervisor.
  const script = '"$@"; exit $?';
  const words = ["--pid", "--fork", "--mount-proc", "/bin/sh", "-c", script, "first"];
  const asRoot = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  const done = spawnSync("unshare", [...asRoot, ...words, process.execPath, program, String(times)], {
    encoding: "utf8",
    timeout: LIMIT_MS,
  });
  const last = (done.stdout ?? "").trimEnd().split("\n").at(-1) ?? "";
  if (done.status === 0) return { kind: "done", text: last };
  if (done.status === CANNOT_CHOOSE || done.error !== undefined || /unshare/.test(done.stderr)) {
    const said = (done.stderr || last).trim().slice(0, 200);
    return { kind: "impossible", why: `no pid namespace of our own here (${said})` };
  }
  return { kind: "violated", text: `${done.stdout}${done.stderr}`.slice(0, 2_000) };
}
