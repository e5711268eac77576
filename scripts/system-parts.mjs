// The parts that come from the operating system. To add one, add a row.
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** @typedef {{ name: string, debian: string, purpose: string, neededFor: string[], found: () => boolean }} SystemPart */

/** @type {SystemPart[]} */
export const systemParts = [
  {
    name: "git",
    debian: "git",
    purpose: "worktrees and snapshots",
    neededFor: ["start", "test"],
    found: () => onPath("git"),
  },
  {
    name: "tmux",
    debian: "tmux",
    purpose: "terminal agents",
    neededFor: ["test"],
    found: () => onPath("tmux"),
  },
  {
    name: "bubblewrap",
    debian: "bubblewrap",
    purpose: "sandboxes for agents; where it cannot be had those tests are skipped",
    neededFor: ["test"],
    found: () => process.platform !== "linux" || !onPath("apt-get") || onPath("bwrap"),
  },
  {
    name: "strace",
    debian: "strace",
    purpose: "failing disks in the chaos tests",
    neededFor: ["test"],
    found: () => process.platform !== "linux" || onPath("strace"),
  },
  {
    name: "systemd",
    debian: "systemd",
    purpose: "the check of the service's units; where there is no such package those tests are skipped",
    neededFor: ["test"],
    found: () => !onPath("apt-get") || (onPath("systemd-analyze") && onPath("systemd-notify")),
  },
  {
    name: "postgresql",
    debian: "postgresql",
    purpose: "the fleet's journal",
    neededFor: ["test"],
    found: () => onPath("postgres") || underVersions("/usr/lib/postgresql", "bin/postgres"),
  },
  {
    name: "zsh",
    debian: "zsh",
    purpose: "its completion script",
    neededFor: ["test"],
    found: () => onPath("zsh"),
  },
  {
    name: "fish",
    debian: "fish",
    purpose: "its completion script",
    neededFor: ["test"],
    found: () => onPath("fish"),
  },
  {
    name: "chromium",
    debian: "chromium",
    purpose: "the tests of the dashboard; where it cannot be had those tests are skipped",
    neededFor: ["test"],
    found: () => !onPath("apt-get") || onPath("chromium"),
  },
  {
    name: "libfaketime",
    debian: "libfaketime",
    purpose: "clocks that are set while the chaos tests run",
    neededFor: ["test"],
    found: () =>
      process.platform !== "linux" || Boolean(process.env.HOLDFAST_FAKETIME) || faketimeInstalled(),
  },
];

/** Debian keeps it in a folder that is named after the kind of machine. */
function faketimeInstalled() {
  const kinds = existsSync("/usr/lib") ? readdirSync("/usr/lib") : [];
  return kinds.some((kind) => existsSync(path.join("/usr/lib", kind, "faketime", "libfaketime.so.1")));
}

function onPath(command) {
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .some((folder) => executable(path.join(folder, command)));
}

function executable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function underVersions(folder, file) {
  return (
    existsSync(folder) && readdirSync(folder).some((version) => executable(path.join(folder, version, file)))
  );
}
