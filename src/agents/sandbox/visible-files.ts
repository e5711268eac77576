import path from "node:path";
import { homeFolder, type AgentHome } from "./agent-homes.ts";
import type { Mount } from "./sandbox-args.ts";
import { SECRETS_AT_HOME, SECRETS_OF_SYSTEM } from "./secret-places.ts";

/** What is looked at of the file system. */
export interface Look {
  /** Through links. */
  kind(place: string): "file" | "folder" | "none";
  /** Where a link leads, as it says; undefined where it is none. */
  link(place: string): string | undefined;
  real(place: string): string;
  list(folder: string): readonly string[];
}

export interface Wanted {
  readonly home: string;
  /** The tree that is worked in. */
  readonly workspace: string;
  /** A folder of the session, in which everything lies that the agent alone sees. */
  readonly own: string;
  /** The session's, with the homes of its agents. */
  readonly session: string;
  /** The program and its words. */
  readonly command: readonly string[];
  readonly searchPath: string;
  readonly homes: readonly AgentHome[];
  /** What else may be read: files of the session, and what the configuration names. */
  readonly reads: readonly string[];
  /** Holdfast's own, never shown although it lies in something that is. */
  readonly hidden: readonly string[];
}

const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
  "/nix",
  "/gnu",
];
/** Led to by links out of /etc. */
const SYSTEM_FILES = ["/etc/resolv.conf", "/etc/hosts", "/etc/localtime"];
/** How many processors there are. */
const PROCESSORS = "/sys/devices/system/cpu";

/** Where people install compilers and interpreters for themselves. */
const TOOLCHAINS = [
  ...[".nvm", ".fnm", ".volta", ".asdf", ".pyenv", ".rbenv", ".rustup", ".sdkman", ".bun", ".deno"],
  ...[".cargo/bin", ".local/bin", ".local/lib", ".local/share/fnm", ".local/share/mise", ".local/share/pnpm"],
];

/** What the sandbox shows, and what of it may be changed: nothing but what is named here is there. */
export function visibleFiles(wanted: Wanted, look: Look): readonly Mount[] {
  const { home, workspace, own } = wanted;
  const exists = (place: string): boolean => look.kind(place) !== "none";
  const shown: readonly Mount[] = [
    ...systemMounts(look),
    { kind: "write", from: path.join(own, "tmp"), to: "/tmp" },
    { kind: "write", from: path.join(own, "var-tmp"), to: "/var/tmp" },
    { kind: "write", from: path.join(own, "home"), to: home },
    ...TOOLCHAINS.map((name) => path.join(home, name))
      .filter(exists)
      .map(read),
    ...installations(wanted, look).map(read),
    ...wanted.homes.flatMap((one, at) => homeMounts(one, homeFolder(wanted.session, at), home, look)),
    ...wanted.reads.filter(exists).map(read),
    ...workspaceMounts(workspace, look),
  ];
  const placed = shown.filter((mount) => !isShownAsLink(mount, shown, look));
  return [...placed, ...hiddenMounts(wanted, placed, look)];
}

/** A link in a folder that is shown is there as a link, and nothing can be mounted on it; what it leads to is mounted. */
const isShownAsLink = (mount: Mount, shown: readonly Mount[], look: Look): boolean =>
  mount.kind === "read" &&
  mount.from === mount.to &&
  look.real(mount.to) !== mount.to &&
  shown.some(
    (other) =>
      other.kind === "read" &&
      other.from === other.to &&
      other.to !== mount.to &&
      isWithin(other.to, mount.to),
  );

const read = (place: string): Mount => ({ kind: "read", from: place, to: place });

const systemMounts = (look: Look): readonly Mount[] => [
  ...SYSTEM.flatMap((place): readonly Mount[] => {
    const target = look.link(place);
    if (target !== undefined) return [{ kind: "link", target, to: place }];
    return look.kind(place) === "none" ? [] : [read(place)];
  }),
  ...SYSTEM_FILES.filter((place) => look.kind(place) === "file")
    .map((place) => look.real(place))
    .filter((place) => !SYSTEM.some((root) => isWithin(root, place)))
    .map(read),
  ...(look.kind(PROCESSORS) === "none" ? [] : [read(PROCESSORS)]),
];

/** By the path that the agent is given, and by the one it really has. */
const workspaceMounts = (workspace: string, look: Look): readonly Mount[] =>
  [...new Set([look.real(workspace), workspace])].map((to) => ({
    kind: "write",
    from: look.real(workspace),
    to,
  }));

/** An agent's home is a folder of the session, in which what there is can be read and conversations are kept. */
function homeMounts(one: AgentHome, own: string, home: string, look: Look): readonly Mount[] {
  const { folder, writes, files } = one;
  const at = (name: string): string => path.join(folder, name);
  const write = (place: string): Mount => ({ kind: "write", from: look.real(place), to: place });
  if (writes.includes(".")) return [write(folder)];
  if (folder === home) return [];
  const kept = new Set([...writes, ...files, ...one.logins, ...one.copies]);
  return [
    { kind: "write", from: own, to: folder },
    ...look
      .list(folder)
      .filter((name) => !kept.has(name) && look.kind(at(name)) !== "none")
      .map((name): Mount => ({ kind: "read", from: look.real(at(name)), to: at(name) })),
    ...[...writes, ...files]
      .map(at)
      .filter((place) => look.kind(place) !== "none")
      .map(write),
  ];
}

/** Of the program, of the files its command names, and of the folders of PATH. */
function installations(wanted: Wanted, look: Look): readonly string[] {
  const { command, searchPath, workspace, home, hidden } = wanted;
  const named = [...command.slice(0, NAMED_MAX), ...searchPath.split(path.delimiter)].filter(
    (word) => path.isAbsolute(word) && look.kind(word) !== "none",
  );
  const covered = (place: string): boolean =>
    [...SYSTEM, workspace].some((root) => isWithin(root, place)) || isWithin(place, home);
  const holds = (place: string): boolean =>
    [home, ...hidden].some((one) => isWithin(place, one)) || path.dirname(place) === place;
  return named
    .flatMap((word) => [word, look.real(word)])
    .map((place) => {
      const whole = packageOf(place, look) ?? installationOf(place, look.kind(place) === "folder");
      return holds(whole) ? place : whole;
    })
    .filter((place) => !covered(place));
}

/** Of a long command only the first words name programs; what follows is the task. */
const NAMED_MAX = 12;

/** The folder of the package that a script is part of. */
function packageOf(place: string, look: Look): string | undefined {
  if (!/\.[cm]?[jt]s$/.test(place) || place.includes("/node_modules/")) return undefined;
  for (let at = path.dirname(place); at !== path.dirname(at); at = path.dirname(at))
    if (look.kind(path.join(at, "package.json")) === "file") return at;
  return undefined;
}

/** The folder in which a program is installed with all it needs. */
function installationOf(place: string, isFolder: boolean): string {
  const modules = place.indexOf("/node_modules/");
  if (modules > 0) return place.slice(0, modules);
  const folder = isFolder ? place : path.dirname(place);
  const above = path.dirname(folder);
  return /^(?:s?bin|shims)$/.test(path.basename(folder)) && path.basename(above) !== ".local"
    ? above
    : isFolder
      ? folder
      : place;
}

function hiddenMounts({ home, hidden, workspace }: Wanted, shown: readonly Mount[], look: Look): Mount[] {
  const secrets = [...SECRETS_OF_SYSTEM, ...SECRETS_AT_HOME.map((name) => path.join(home, name)), ...hidden];
  const roots = shown.filter(({ kind, to }) => (kind === "read" || kind === "write") && to !== home);
  return secrets
    .filter((place) => place !== workspace && roots.some(({ to }) => isWithin(to, place)))
    .flatMap((place): Mount[] => {
      const kind = look.kind(place);
      if (kind === "none") return [];
      return [{ kind: kind === "folder" ? "empty" : "blank", to: place }];
    });
}

/** Whether a place is that folder or lies in it. */
export const isWithin = (folder: string, place: string): boolean =>
  place === folder || place.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
