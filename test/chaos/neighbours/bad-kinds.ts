import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import { ZOO } from "../../agents/zoo/zoo.ts";

/** What a bad run needs: its agent, and what else is wrong with it. */
export interface BadRun {
  readonly agent: AgentSpec;
  /** The file in which its flow is said to be written: somebody looks there for changes. */
  readonly flowFile?: string;
  /** Its folder is a git repository, of which checkpoints are taken. */
  readonly keepsFiles?: boolean;
  /** Rows that somebody puts into its inbox, no matter what they are. */
  readonly mail?: readonly string[];
}

export interface BadKind {
  readonly name: string;
  /** Prepares the run's folder; each run has one of its own. */
  readonly make: (folder: string) => BadRun;
}

/** Bounds that a kind keeps by itself, so that nothing lives on where nobody ends it. */
const LIVES_S = 240;

const program = (...command: [string, ...string[]]): AgentSpec => ({ use: "acp", command });
const shell = (script: string): BadRun => ({ agent: program("sh", "-c", script) });
const perl = (script: string): BadRun => ({
  agent: program("perl", "-e", `alarm ${String(LIVES_S)}; ${script}`),
});

function scripted(folder: string, acts: readonly object[]): BadRun {
  const file = path.join(folder, "script.json");
  writeFileSync(file, JSON.stringify({ attempts: [acts] }));
  return { agent: { use: "demo", script: file } };
}

/** An agent given as a module: a function of somebody. */
function module(folder: string, body: string): BadRun {
  const file = path.join(folder, "agent.mjs");
  writeFileSync(file, `export default async function agent(context) { ${body} }\n`);
  return { agent: { use: "function", module: file } };
}

/** A git repository whose file of that name the agent replaces by something that is no file. */
function repository(folder: string, strike: string): BadRun {
  const git = (...words: string[]): void => void execFileSync("git", words, { cwd: folder, stdio: "pipe" });
  git("init", "-q");
  writeFileSync(path.join(folder, "a.txt"), "a\n");
  writeFileSync(path.join(folder, ".gitignore"), "out\n");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "first");
  return { ...shell(`${strike}; echo more >> a.txt; sleep 1`), keepsFiles: true };
}

function flowAs(folder: string, strike: (file: string) => string): BadRun {
  const file = path.join(folder, "flow.yaml");
  writeFileSync(file, "name: goal\nsteps:\n  - { name: work, task: work, agent: bad }\n");
  return { ...shell(`${strike(file)}; sleep 2`), flowFile: file };
}

const OWN: readonly BadKind[] = [
  { name: "crashes by a signal, again and again", make: (folder) => scripted(folder, [{ do: "crash" }]) },
  { name: "exits with 1, again and again", make: () => shell("exit 1") },
  { name: "exits at once", make: () => shell(":") },
  { name: "ignores TERM and hangs", make: (folder) => scripted(folder, [{ do: "deaf" }, { do: "hang" }]) },
  { name: "leaves children in sessions of their own", make: (folder) => scripted(folder, spawns("session")) },
  { name: "leaves children in its group", make: (folder) => scripted(folder, spawns("group")) },
  {
    name: "forks thirty children",
    make: () => shell(`for i in $(seq 30); do sleep ${String(LIVES_S)} & done; wait`),
  },
  { name: "loops without end", make: () => perl("1 while 1") },
  {
    name: "prints without end",
    make: () => shell(`timeout ${String(LIVES_S)} yes flood | head -c 50000000`),
  },
  { name: "prints 255,000 carriage returns", make: () => perl(`$| = 1; print "\\r" x 255_000; sleep 5`) },
  {
    name: "says 255,000 carriage returns",
    make: (folder) => scripted(folder, [{ do: "garbage", text: "\r".repeat(255_000) }, { do: "hang" }]),
  },
  { name: "prints one line of 20 MB", make: () => perl(`print "x" x 20_000_000; sleep 5`) },
  { name: "nests JSON 200,000 deep", make: () => perl(`print "[" x 200_000, "\\n"; sleep 5`) },
  { name: "truncates /dev/stdout", make: () => shell("echo one; echo x > /dev/stdout; echo two; sleep 1") },
  {
    name: "opens descriptors without end",
    make: () => perl(`my @all; while (open(my $fd, "<", "/dev/null")) { push @all, $fd } sleep 20`),
  },
  { name: "takes 200 MB", make: () => perl(`my $much = "x" x 200_000_000; sleep 10`) },
  { name: "kills its keeper", make: () => shell("kill -9 $PPID; sleep 3") },
  { name: "kills its whole group", make: () => shell("kill -9 0") },
  { name: "stops its keeper", make: () => shell("kill -STOP $PPID; sleep 3; kill -CONT $PPID") },
  { name: "deletes its own folder", make: () => shell(`rm -rf "$PWD"; sleep 1`) },
  {
    name: "makes its folder unreadable",
    make: (folder) => ({
      ...shell("chmod 000 .; sleep 1; chmod 700 ."),
      agent: program("sh", "-c", `cd ${folder}; chmod 000 .; sleep 1; chmod 700 .`),
    }),
  },
  { name: "a function that calls process.exit(0)", make: (folder) => module(folder, "process.exit(0)") },
  {
    name: "a function that throws late",
    make: (folder) =>
      module(
        folder,
        `setTimeout(() => { throw new Error("late") }, 20); await new Promise((done) => setTimeout(done, 500))`,
      ),
  },
  {
    name: "a function that never lets go of the processor",
    make: (folder) =>
      module(folder, `const end = Date.now() + ${String(LIVES_S)}_000; while (Date.now() < end);`),
  },
  {
    name: "a function that rejects with nothing",
    make: (folder) => module(folder, "return Promise.reject()"),
  },
  {
    name: "gets rows in its inbox that are no requests",
    make: () => ({ ...shell("sleep 3"), mail: ["{}", "no json", `{"kind":"nonsense"}`, "[".repeat(10_000)] }),
  },
  {
    name: "a FIFO in place of its flow",
    make: (folder) => flowAs(folder, (file) => `rm -f ${file}; mkfifo ${file}`),
  },
  {
    name: "a link to /dev/zero in place of its flow",
    make: (folder) => flowAs(folder, (file) => `ln -sf /dev/zero ${file}`),
  },
  {
    name: "a FIFO in place of .gitignore",
    make: (folder) => repository(folder, "rm -f .gitignore; mkfifo .gitignore"),
  },
  {
    name: "a link to /dev/zero in place of .gitattributes",
    make: (folder) => repository(folder, "ln -sf /dev/zero .gitattributes"),
  },
  { name: "a FIFO among its files", make: (folder) => repository(folder, "mkfifo pipe") },
];

const spawns = (place: "group" | "session"): object[] => [
  ...Array.from({ length: 5 }, () => ({ do: "spawn-child", in: place })),
  { do: "exit", code: 1 },
];

/** The agents of the zoo, each as what it is. */
const FROM_ZOO: readonly BadKind[] = ZOO.map(({ name, vice, command }) => ({
  name: `${name}: ${vice}`,
  make: () => ({ agent: program(...(command as [string, ...string[]])) }),
}));

/** Every way to be a bad neighbour: to add one is to add an entry. */
export const BAD_KINDS: readonly BadKind[] = [...OWN, ...FROM_ZOO];

/** A folder of its own for each run. */
export function folderFor(root: string, name: string): string {
  const folder = path.join(root, name);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  return folder;
}
