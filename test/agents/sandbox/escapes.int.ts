import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { identify } from "../../../src/agents/process-identity.ts";
import { noSandbox, SandboxStage } from "./sandbox-stage.ts";

const KEY = "key-of-a-person-4711";
const LOGIN = '{"token":"first"}';

/** What one try aims at. */
interface Target {
  readonly stage: SandboxStage;
  readonly planted: string;
  /** Of a process outside. */
  readonly victim: number;
  readonly socket: string;
  readonly tmux: string;
  readonly found: string;
}

interface Try {
  readonly does: string;
  readonly script: (target: Target) => string;
  /** Whether it had its effect outside; reading shows in what was found. */
  readonly escaped?: (target: Target) => boolean;
  /** It needs rights that a test without a sandbox must not use. */
  readonly uncontrolled?: true;
}

const isPlanted = ({ planted }: Target): boolean => existsSync(planted);
const writes = (does: string, script: (target: Target) => string, more: Partial<Try> = {}): Try => ({
  ...{ does, script, escaped: isPlanted },
  ...more,
});
const reads = (does: string, file: (target: Target) => string, more: Partial<Try> = {}): Try => ({
  does,
  script: (target) => `cat '${file(target)}' >> $found`,
  ...more,
});

const SECRETS = [
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".netrc",
  ".npmrc",
  ".config/gh/hosts.yml",
  ".gnupg/private",
  ".kube/config",
  ".git-credentials",
];

/** Of Holdfast. */
const OURS = [
  "state/store.sqlite",
  "state/store.sqlite-sessions/other/out.spool",
  "state/store.sqlite-sessions/door-1.json",
];

const TRIES: readonly Try[] = [
  writes("writes a file beside the workspace", (t) => `echo x > ${t.planted}`),
  writes(
    "writes through a link in the workspace",
    (t) => `ln -sfn ${path.dirname(t.planted)} out; echo x > out/${path.basename(t.planted)}`,
  ),
  writes(
    "writes through dots",
    (t) => `echo x > ../../outside/${path.basename(t.planted)} && test -e ${t.planted}`,
  ),
  writes("writes through the root of the first process", (t) => `echo x > /proc/1/root${t.planted}`, {
    uncontrolled: true,
  }),
  writes("writes by a hard link", (t) => `ln ${t.stage.in("outside/linkable")} linked && echo x > linked`, {
    escaped: ({ stage }) => readFileSync(stage.in("outside/linkable"), "utf8") !== KEY,
  }),
  writes("has the person's shell run something", ({ stage }) => `echo 'touch /x' >> ${stage.home}/.profile`, {
    escaped: ({ stage }) => existsSync(path.join(stage.home, ".profile")),
  }),
  writes(
    "changes settings that its next start obeys",
    ({ stage }) => `echo '{"hooks":{}}' > ${stage.home}/.claude/settings.json`,
    {
      escaped: ({ stage }) => readFileSync(path.join(stage.home, ".claude/settings.json"), "utf8") !== "{}",
    },
  ),
  writes(
    "adds settings that its next start obeys",
    ({ stage }) => `echo '{}' > ${stage.home}/.claude/settings.local.json`,
    {
      escaped: ({ stage }) => existsSync(path.join(stage.home, ".claude/settings.local.json")),
    },
  ),
  writes(
    "adds a server of tools to its person's settings",
    ({ stage }) => `echo '{"mcpServers":{"x":{}}}' > ${stage.home}/.claude.json`,
    {
      escaped: ({ stage }) => readFileSync(path.join(stage.home, ".claude.json"), "utf8") !== "{}",
    },
  ),
  writes("adds a hook to the repository", () => "echo 'touch /x' > .git/hooks/post-commit", {
    escaped: ({ stage }) => existsSync(path.join(stage.repo, ".git/hooks/post-commit")),
  }),
  writes(
    "has the repository's git run a program",
    () => "git config core.fsmonitor /bin/true || echo '[core]' >> .git/config",
    {
      escaped: ({ stage }) =>
        /fsmonitor|\[core\]\s*$/.test(readFileSync(path.join(stage.repo, ".git/config"), "utf8")),
    },
  ),
  ...SECRETS.map((name) => reads(`reads ~/${name}`, ({ stage }) => path.join(stage.home, name))),
  reads("reads another tree of the person", ({ stage }) => stage.in("outside/file")),
  reads("reads the store", ({ stage }) => stage.in("state/store.sqlite")),
  reads("reads what another agent prints", ({ stage }) => path.join(stage.sessions, "other/out.spool")),
  reads("reads the door of the tools", ({ stage }) => path.join(stage.sessions, "door-1.json")),
  reads(
    "reads through the root of the first process",
    ({ stage }) => `/proc/1/root${stage.in("outside/file")}`,
    {
      uncontrolled: true,
    },
  ),
  reads("reads the environment of a process outside", ({ victim }) => `/proc/${String(victim)}/environ`),
  reads("reads the folder of a process outside", ({ victim }) => `/proc/${String(victim)}/cwd/file`),
  {
    does: "reads the environment of any process it sees",
    script: () => "cat /proc/[0-9]*/environ >> $found",
  },
  {
    does: "leaves by a descriptor it was left",
    script: () => 'for f in /proc/self/fd/*; do cat "$f/../../outside/file" >> $found; done 2>/dev/null',
    uncontrolled: true,
  },
  writes(
    "speaks to a socket of another program",
    (t) =>
      `perl -MIO::Socket::UNIX -e 'my $s=IO::Socket::UNIX->new(Peer=>"${t.socket}") or exit 1; print $s "x"; close $s'`,
    { escaped: ({ stage }) => existsSync(stage.in("outside/spoken-to")) },
  ),
  writes("has another's terminal run something", (t) => `tmux -S ${t.tmux} new-window 'touch ${t.planted}'`),
  writes(
    "searches for terminals in the usual place",
    (t) =>
      `for s in /tmp/tmux-*/* ${path.dirname(t.tmux)}/*; do tmux -S "$s" new-window 'touch ${t.planted}'; done`,
    {
      // Other servers of this machine are not for tests to find.
      uncontrolled: true,
    },
  ),
  writes(
    "makes what is read-only writable",
    (t) => `mount -o remount,rw /; mount -o remount,rw,bind /usr; echo x > ${t.planted}`,
    { uncontrolled: true },
  ),
  writes(
    "gives itself rights in a namespace of its own",
    (t) =>
      `unshare --user --map-root-user --mount --pid --fork sh -c 'umount -l /etc/shadow; mount -t tmpfs x ${t.stage.home}; echo x > ${t.planted}'`,
    { uncontrolled: true },
  ),
  writes(
    "enters the namespaces of the first process",
    (t) => `nsenter --target 1 --mount --pid touch ${t.planted}`,
    { uncontrolled: true },
  ),
  reads("uncovers what is hidden", () => "/etc/shadow", {
    script: () => "umount /etc/shadow; cat /etc/shadow >> $found && echo uncovered >> $found",
    uncontrolled: true,
    escaped: ({ found }) => readFileSync(found, "utf8").includes("uncovered"),
  }),
  {
    does: "changes a setting of the kernel",
    script: () => "f=/proc/sys/kernel/core_pattern; cat $f > $f && echo changed >> $found",
    uncontrolled: true,
    escaped: ({ found }) => readFileSync(found, "utf8").includes("changed"),
  },
  {
    does: "makes a device of the disk",
    script: () => "mknod disk b 254 0 && head -c 16 disk >> $found && echo opened >> $found",
    uncontrolled: true,
    escaped: ({ found }) => readFileSync(found, "utf8").includes("opened"),
  },
  {
    does: "looks into the process that supervises it",
    script: () =>
      `for f in maps environ cwd/package.json; do cat /proc/${String(process.pid)}/$f >> $found && echo seen >> $found; done`,
    escaped: ({ found }) => readFileSync(found, "utf8").includes("seen"),
  },
  {
    does: "leaves its control group",
    script: () =>
      'mkdir -p groups; mount -t cgroup2 x groups; mount -t cgroup -o pids x groups; for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs groups/cgroup.procs; do test -e "$f" && echo $$ > "$f" && echo left >> $found; done',
    escaped: ({ found }) => readFileSync(found, "utf8").includes("left"),
    uncontrolled: true,
  },
  writes(
    "changes its root",
    (t) => `chroot /proc/1/root touch ${t.planted}; chroot /proc/1/cwd touch ${t.planted}`,
    { uncontrolled: true },
  ),
  writes(
    "has its login brought back through a link",
    ({ stage }) =>
      `f=${stage.home}/.claude/.credentials.json; rm -f $f; ln -s ${stage.in("outside/linkable")} $f`,
    {
      escaped: ({ stage }) =>
        readFileSync(stage.in("outside/linkable"), "utf8") !== KEY ||
        readFileSync(path.join(stage.home, ".claude/.credentials.json"), "utf8") !== LOGIN,
      uncontrolled: true,
    },
  ),
  writes(
    "puts a link in the place of its git directory",
    (t) => `mv .git away; rm -rf .git; ln -s ${path.dirname(t.planted)} .git`,
    {
      escaped: ({ stage }) => !existsSync(path.join(stage.repo, ".git/HEAD")),
      uncontrolled: true,
    },
  ),
  {
    does: "ends a process outside",
    script: ({ victim }) => `kill -KILL ${String(victim)}`,
    escaped: ({ victim }) => identify(victim) === "gone",
  },
  {
    does: "ends every process it can name",
    script: () => "kill -KILL -1",
    escaped: ({ victim }) => identify(victim) === "gone",
    uncontrolled: true,
  },
];

/** What the tries must aim at, however many there are of each. */
const AIMS: Readonly<Record<string, RegExp>> = {
  "writing outside": /^(writes|adds|changes|has the)/,
  "reading keys": /^reads ~\//,
  "another run's terminal": /another's terminal|searches for terminals/,
  "the state folder": /the store|another agent prints|door of the tools/,
  sockets: /socket/,
  "the supervisor's /proc": /process that supervises|process outside|descriptor/,
  links: /link/,
  mounts: /read-only writable|namespace|uncovers|its root|control group|device/,
  "signals to others": /^ends /,
};

test("P6 the tries aim at all that an agent in a sandbox must not reach", () => {
  for (const [aim, words] of Object.entries(AIMS))
    assert.ok(TRIES.filter(({ does }) => words.test(does)).length >= 1, aim);
});

type Stand = Omit<Target, "planted" | "found">;

async function standFor(t: TestContext, stage: SandboxStage): Promise<Stand> {
  for (const name of SECRETS) stage.put(`home/${name}`, KEY);
  for (const name of ["outside/file", "outside/linkable", ...OURS]) stage.put(name, KEY);
  stage.put("home/.claude/settings.json", "{}");
  stage.put("home/.claude.json", "{}");
  stage.put("home/.claude/.credentials.json", LOGIN);
  const env = { ...process.env, SECRET_OF_VICTIM: KEY };
  const victim = spawn("sleep", ["300"], { env, cwd: stage.in("outside"), stdio: "ignore" });
  t.after(() => victim.kill("SIGKILL"));
  const socket = stage.in("outside/socket");
  const server = createServer((peer) => {
    writeFileSync(stage.in("outside/spoken-to"), "");
    peer.destroy();
  }).listen(socket);
  t.after(() => server.close());
  const tmux = stage.in("outside/tmux");
  spawnSync("tmux", ["-S", tmux, "-f", "/dev/null", "new-session", "-d", "sleep 300"]);
  t.after(() => spawnSync("tmux", ["-S", tmux, "kill-server"]));
  return { stage, victim: victim.pid ?? 0, socket, tmux };
}

const aim = (stand: Stand, at: number): Target => ({
  ...stand,
  planted: stand.stage.in(`outside/planted-${String(at)}`),
  found: path.join(stand.stage.repo, `found-${String(at)}`),
});

/** All in one session, each in a shell of its own; what ends its session comes last. */
const scriptOf = (stand: Stand, tries: readonly Try[]): string =>
  tries
    .map((one) => {
      const target = aim(stand, TRIES.indexOf(one));
      return `found=${target.found}; : > $found; ( ${one.script(target)}\n) </dev/null`;
    })
    .join("\n");

const effectOf = (one: Try, stand: Stand): boolean => {
  const target = aim(stand, TRIES.indexOf(one));
  return one.escaped?.(target) === true || readFileSync(target.found, "utf8").includes(KEY);
};

test("P6 what an agent tries in a sandbox to get out of it is in vain", { skip: noSandbox }, async (t) => {
  const stage = new SandboxStage();
  const stand = await standFor(t, stage);
  // Last: the terminal outside is ended by its socket, which is in the stage's folder.
  t.after(() => stage.close());
  await stage.play(stage.order(scriptOf(stand, TRIES)));
  for (const one of TRIES)
    await t.test(`P6 an agent in a sandbox ${one.does}, in vain`, () => {
      assert.equal(effectOf(one, stand), false);
    });
  const controlled = TRIES.filter(({ uncontrolled }) => uncontrolled !== true);
  await stage.play(stage.order(`${scriptOf(stand, controlled)}\nexit 0`, { sandbox: "none" }));
  await until(() => controlled.every((one) => effectOf(one, stand)));
  const harmless = controlled.filter((one) => !effectOf(one, stand));
  assert.deepEqual(
    harmless.map(({ does }) => does),
    [],
    "without a sandbox each has its effect",
  );
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 100 && !isSo(); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

test(
  "P6 A5 T27 processes that an agent leaves behind in a sandbox end with it, however they left its session",
  { skip: noSandbox },
  async (t) => {
    const stage = new SandboxStage();
    t.after(() => stage.close());
    const leaves = ["setsid sleep 301 &", "(setsid env -i sleep 302 &)", "nohup sleep 303 >/dev/null 2>&1 &"];
    const { exit } = await stage.play(stage.order(`${leaves.join("\n")}\nsleep 0.3\nexit 5`));
    assert.deepEqual(exit, { kind: "exit", how: "code", code: 5 });
    const left = (): string =>
      readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name) && /^sleep 30[123] $/.test(commandOf(name)))
        .join();
    await until(() => left() === "");
    assert.equal(left(), "");
  },
);
