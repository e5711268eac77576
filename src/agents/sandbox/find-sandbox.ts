import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { findProgram } from "../find-program.ts";
import { ISOLATION, PROC } from "./sandbox-args.ts";

/** Whether this machine can put an agent into a sandbox. */
export type SandboxFound =
  | { readonly kind: "possible"; readonly program: string; readonly version: string }
  | { readonly kind: "impossible"; readonly why: string; readonly remedy: string };

const PROBE_LIMIT_MS = 10_000;

/** Signals are given back their meaning by it inside; see `enterSandbox`. */
export const ENV_PROGRAM = "/usr/bin/env";
export const DEFAULT_SIGNALS = "--default-signal=HUP,INT,QUIT,TERM";

let found: SandboxFound | undefined;

/** Tried once; where it was not possible it is tried again, since somebody may have mended it. */
export function findSandbox(): SandboxFound {
  if (found?.kind !== "possible") found = lookForSandbox(process.env["PATH"]);
  return found;
}

/** By starting a program in one: nothing else shows whether the system allows it. */
export function lookForSandbox(searchPath: string | undefined): SandboxFound {
  if (process.platform !== "linux")
    return impossible(
      `there is none for ${process.platform}`,
      "run agents in a container or virtual machine",
    );
  const program = findProgram("bwrap", searchPath, "/");
  if (program === undefined) return impossible("bwrap was not found on PATH", "apt install bubblewrap");
  const version = /\d[\d.]*/.exec(output(program, ["--version"]).stdout)?.[0] ?? "of unknown version";
  const inside = [ENV_PROGRAM, DEFAULT_SIGNALS, "--", "/bin/sh", "-c", "test -r /proc/self/status"];
  const roots = ["/usr", "/bin", "/lib", "/lib64"].filter((place) => existsSync(place));
  const tried = output(program, [
    ...ISOLATION,
    ...PROC,
    ...["--dev", "/dev"],
    ...roots.flatMap((place) => ["--ro-bind", place, place]),
    ...["--", ...inside],
  ]);
  if (tried.status === 0) return { kind: "possible", program, version };
  const said = tried.stderr.trim().split("\n").at(-1) ?? "";
  return impossible(
    `bubblewrap ${version} cannot start a program here: ${said === "" ? "no answer" : said}`,
    /namespace|Operation not permitted|Permission denied/i.test(said)
      ? "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0), or run outside of this container"
      : "expected bubblewrap 0.8 and GNU coreutils 8.31, or newer",
  );
}

const impossible = (why: string, remedy: string): SandboxFound => ({ kind: "impossible", why, remedy });

function output(program: string, args: readonly string[]) {
  const done = spawnSync(program, args, { encoding: "utf8", timeout: PROBE_LIMIT_MS, env: {} });
  return { status: done.status, stdout: done.stdout ?? "", stderr: done.stderr ?? String(done.error ?? "") };
}
