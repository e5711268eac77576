/**
 * How many processes and how much memory an agent in a sandbox may have at most: a control group per session, where
 * this user may make one. What cannot be limited is said. Without a group for processes the kernel counts them per user
 * namespace, which the sandbox is; that does not bind root. Where memory runs out the kernel ends such an agent before
 * other programs, in any case. A bound of the address space (RLIMIT_AS, RLIMIT_DATA) is no substitute: runtimes and
 * sanitizers reserve far more than they use.
 *
 * On disk: the folders of the group, named after the session's folder, and `limits.json` there with their paths; they
 * are removed with the session's end, and are harmless where that is missed.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, totalmem } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { shellWord } from "../../model/text/command-text.ts";
import { textDigest } from "../to-signal.ts";

export interface Limits {
  readonly processes: number;
  /** Of this machine's. */
  readonly memoryPct: number;
}

export interface LimitWay {
  /** What a shell runs outside before it becomes bubblewrap: it joins the groups. */
  readonly joining: string;
  /** What a shell runs inside before it becomes the program. */
  readonly opening: string;
  readonly text: string;
}

const ROOT = "/sys/fs/cgroup";
const PRLIMIT = "/usr/bin/prlimit";
/** From -1000 to 1000; what is started inside has it too. */
const ENDED_FIRST = "{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null; ";

interface Group {
  readonly kind: "pids" | "memory";
  readonly folder: string;
  readonly file: string;
}

/** Makes the groups of a session; may be repeated. */
export function limitSession(limits: Limits, session: string): LimitWay {
  const memoryBytes = Math.floor((totalmem() * limits.memoryPct) / 100);
  const value = { pids: limits.processes, memory: memoryBytes };
  const groups = groupsOf(`holdfast-${textDigest(session)}`).filter((group) =>
    isMade(group, String(value[group.kind])),
  );
  const folders = [...new Set(groups.map(({ folder }) => folder))];
  if (folders.length > 0)
    writeFileSync(path.join(session, "limits.json"), JSON.stringify(folders), { mode: 0o600 });
  const has = (kind: Group["kind"]): boolean => groups.some((group) => group.kind === kind);
  const counted = has("pids") || (process.getuid?.() !== 0 && existsSync(PRLIMIT));
  const most = [
    ...(counted ? [`${String(limits.processes)} processes`] : []),
    ...(has("memory") ? [`${String(Math.round(memoryBytes / 2 ** 20))} MB`] : []),
  ];
  const without = [...(counted ? [] : ["processes"]), ...(has("memory") ? [] : ["memory"])];
  return {
    joining: `${folders.map((folder) => `echo $$ >${shellWord(`${folder}/cgroup.procs`)}; `).join("")}${ENDED_FIRST}`,
    opening: `{ ${PRLIMIT} --pid $$ --nproc=${String(limits.processes)}; } 2>/dev/null; `,
    text: [
      ...(most.length === 0 ? [] : [`at most ${most.join(" and ")}`]),
      ...(without.length === 0 ? [] : [`no limit of ${without.join(" and ")}`]),
      ...(has("memory") ? [] : ["ended before others where memory runs out"]),
    ].join(", "),
  };
}

/** What can be limited here, by making a group and removing it. */
export async function limitsHere(limits: Limits): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-limits-"));
  try {
    return limitSession(limits, folder).text;
  } finally {
    await removeLimits(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Once nothing of the session runs. The last of its processes may still be ending, and is waited for a moment. */
export async function removeLimits(session: string): Promise<void> {
  const file = path.join(session, "limits.json");
  const text = plainTextIfAny(file, { bytesMax: RECORD_BYTES_MAX });
  if (text === undefined) return;
  for (const folder of JSON.parse(text) as readonly string[])
    for (let tries = 0; tries < REMOVE_TRIES && !isRemoved(folder); tries += 1) await delay(REMOVE_PAUSE_MS);
  rmSync(file, { force: true });
}

const REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 25;

function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    // One that stays is empty, and costs nothing.
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Where the groups of this process's own lie, in either version of them. */
function groupsOf(name: string): readonly Group[] {
  const own = plainTextIfAny("/proc/self/cgroup", { bytesMax: RECORD_BYTES_MAX }) ?? "";
  return own.split("\n").flatMap((line): readonly Group[] => {
    const [, kind = "", place = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (kind === "") return unified(place, name);
    // Of the first version only at its root: elsewhere the groups belong to the one who put this process there.
    if (place !== "/" || (kind !== "pids" && kind !== "memory")) return [];
    return [{ kind, folder: path.join(ROOT, kind, name), file: FIRST_VERSION[kind] }];
  });
}

const FIRST_VERSION = { pids: "pids.max", memory: "memory.limit_in_bytes" } as const;

/** A group with processes of its own gives nothing to groups within it; one beside it is given what it has itself. */
function unified(place: string, name: string): readonly Group[] {
  if (!existsSync(path.join(ROOT, "cgroup.controllers"))) return [];
  const own = path.join(ROOT, place);
  const above = [own, path.dirname(own)].find(
    (folder) => folder.startsWith(ROOT) && /\bpids\b/.test(controlledIn(folder)),
  );
  if (above === undefined) return [];
  const folder = path.join(above, name);
  return (["pids", "memory"] as const)
    .filter((kind) => controlledIn(above).includes(kind))
    .map((kind) => ({ kind, folder, file: `${kind}.max` }));
}

const controlledIn = (folder: string): string =>
  plainTextIfAny(path.join(folder, "cgroup.subtree_control"), { bytesMax: RECORD_BYTES_MAX }) ?? "";

function isMade({ folder, file }: Group, value: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, file), value);
    accessSync(path.join(folder, "cgroup.procs"), constants.W_OK);
    return true;
  } catch {
    // Not ours to make: the answer says that there is no such limit.
    return false;
  }
}
