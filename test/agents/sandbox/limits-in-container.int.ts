import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { noSandbox } from "./sandbox-stage.ts";

const SUITE = path.join(import.meta.dirname, "sandboxed-limits.int.ts");
const MEMORY = "/sys/fs/cgroup/memory";
const LIMIT_MS = 120_000;

/** As in a container: the control group of this process is the root of all that it sees, and it may make others in it. */
const CONTAINER = `umount ${MEMORY}; mount -t cgroup -o memory none ${MEMORY} && exec "$@"`;

const inContainer = (words: readonly string[]) =>
  spawnSync("unshare", ["--cgroup", "--mount", "sh", "-c", CONTAINER, "sh", ...words], {
    // Otherwise a runner of tests takes itself for a part of this one, and plays nothing.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    encoding: "utf8",
    timeout: LIMIT_MS,
    maxBuffer: 1 << 24,
  });

function noContainer(): string | false {
  if (noSandbox !== false) return noSandbox;
  if (process.getuid?.() !== 0) return "NOT RUN: only root can make the control groups of a container";
  if (!existsSync(path.join(MEMORY, "cgroup.procs")))
    return `NOT RUN: this machine has no control groups of version 1 at ${MEMORY}`;
  const { status, stderr, error } = inContainer(["true"]);
  return status !== 0 && `NOT RUN: ${(error?.message ?? stderr).trim()}`;
}

test(
  "P6 A5 in a container, whose control group is its own, an agent in a sandbox has a limit of memory and of processes",
  { skip: noContainer() },
  () => {
    const suite = [process.execPath, "--test", "--test-reporter=tap", SUITE];
    const { status, stdout, stderr } = inContainer(suite);
    assert.equal(status, 0, stdout.slice(-4_000) + stderr.slice(-2_000));
    for (const title of ["takes more memory than it may have ends", "is in no group of a session before"])
      assert.match(stdout, new RegExp(`^ok \\d+ - P6 an agent in a sandbox (that )?${title}[^#\\n]*$`, "m"));
  },
);
