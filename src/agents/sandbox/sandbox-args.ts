import type { SandboxNetwork } from "../../model/settings/sandbox-settings.ts";

/** One place of the file system as the sandbox shows it. What is not named is not there. */
export type Mount =
  | { readonly kind: "read" | "write"; readonly from: string; readonly to: string }
  /** A folder of which nothing is shown. */
  | { readonly kind: "empty"; readonly to: string }
  /** A file of which nothing is shown. */
  | { readonly kind: "blank"; readonly to: string }
  | { readonly kind: "link"; readonly target: string; readonly to: string };

/** What stands where in the sandbox, from where outside. */
export interface Mounted {
  readonly writes: Readonly<Record<string, string>>;
  readonly reads: Readonly<Record<string, string>>;
}

export interface SandboxPlan {
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  readonly network: SandboxNetwork;
  /** Set in the environment, or taken out of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Sockets of desktops, key agents and other services: their files are not there, and some have abstract names, which
 * the network of the host shows.
 */
export const FOREIGN_VARIABLES: readonly string[] = [
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "DOCKER_HOST",
  "TMUX",
  "TMUX_PANE",
  "TMUX_TMPDIR",
  "WAYLAND_DISPLAY",
  "DISPLAY",
];

/** Without further namespaces inside, without rights, and ended with the process that started it, which is the keeper. */
export const ISOLATION: readonly string[] = [
  ...["--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
  ...["--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL"],
];

/** Settings of the kernel belong to root by its number alone, no matter what rights were dropped. */
export const PROC: readonly string[] = [
  ...["--proc", "/proc", "--ro-bind-try", "/proc/sys", "/proc/sys"],
  ...["--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger"],
];

/** The arguments of bubblewrap, up to the program that is started inside. */
export function sandboxArgs({ mounts, cwd, network, env }: SandboxPlan): readonly string[] {
  return [
    ...ISOLATION,
    ...(network === "all" ? [] : ["--unshare-net"]),
    ...PROC,
    ...["--dev", "/dev"],
    ...ordered(mounts).flatMap(mountArgs),
    // Nothing can be added beside what is shown; only now, since places inside were yet to be made.
    ...mounts.flatMap(({ kind, to }) => (kind === "empty" ? ["--remount-ro", to] : [])),
    ...["--remount-ro", "/"],
    ...Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? ["--unsetenv", name] : ["--setenv", name, value],
    ),
    ...["--chdir", cwd, "--"],
  ];
}

function mountArgs(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case "read":
      return ["--ro-bind", mount.from, mount.to];
    case "write":
      return ["--bind", mount.from, mount.to];
    case "empty":
      return ["--tmpfs", mount.to];
    case "blank":
      return ["--ro-bind", "/dev/null", mount.to];
    case "link":
      return ["--symlink", mount.target, mount.to];
  }
}

/** What lies inside comes after what it lies in, or it would be covered; of two for one place the later one counts. */
function ordered(mounts: readonly Mount[]): readonly Mount[] {
  const byPlace = new Map<string, Mount>();
  for (const mount of mounts) {
    byPlace.delete(mount.to);
    byPlace.set(mount.to, mount);
  }
  const depth = ({ to }: Mount): number => to.split("/").filter((part) => part !== "").length;
  return [...byPlace.values()].sort((one, other) => depth(one) - depth(other));
}
