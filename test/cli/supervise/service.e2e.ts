import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(0);

/** Prints every datagram that comes to a socket of the file system, as a service manager would read it. */
const LISTENER = `use Socket; $| = 1;
socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
bind($s, pack_sockaddr_un($ARGV[0])) or die "bind: $!";
print "listening\\n";
while (defined(recv($s, my $words, 4096, 0))) { $words =~ s/\\n/ /g; print "$words\\n"; }
`;
const LIMIT_MS = 60_000;

const missing = ["systemd-analyze", "systemd-notify", "perl"].filter(
  (program) => spawnSync(program, ["--version"]).error !== undefined,
);
const onlyWithSystemd =
  missing.length > 0 ? { skip: `NOT CHECKED HERE: ${missing.join(", ")} is missing` } : {};

interface Installed {
  readonly files: readonly { readonly file: string; readonly text: string }[];
  readonly done: boolean;
}

/** A home of its own, and a `systemctl` that only writes down how it was called: this machine's own is not touched. */
class ServiceBench extends CliBench {
  readonly calls = path.join(this.root, "systemctl.calls");
  readonly env: Record<string, string>;

  constructor(systemctlStatus = 0) {
    super({ "holdfast.yaml": "watchdog: { silentMs: 120000, graceMs: 4500 }\n" });
    const bin = path.join(this.root, "bin");
    mkdirSync(bin);
    const fake = path.join(bin, "systemctl");
    writeFileSync(fake, `#!/bin/sh\necho "$*" >>'${this.calls}'\nexit ${String(systemctlStatus)}\n`);
    chmodSync(fake, 0o755);
    const home = path.join(this.root, "user 100% $HOME");
    mkdirSync(home);
    this.env = { HOME: home, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  }

  get units(): string {
    return path.join(this.env["HOME"] ?? "", ".config", "systemd", "user");
  }

  systemctlCalls(): string[] {
    return existsSync(this.calls) ? readFileSync(this.calls, "utf8").trimEnd().split("\n") : [];
  }
}

async function withBench(bench: ServiceBench, work: (bench: ServiceBench) => Promise<void>): Promise<void> {
  try {
    await work(bench);
  } finally {
    await bench.close();
  }
}

test(
  "L8 up --install writes units that systemd finds no fault with, with a watchdog and a timer, and enables them",
  {
    skip:
      process.platform !== "linux" ? "NOT CHECKED HERE: this is no Linux" : (onlyWithSystemd.skip ?? false),
  },
  async () => {
    await withBench(new ServiceBench(), async (bench) => {
      const { env } = bench;
      const dry = await bench.call(["up", "--install", "--dry-run", "--json"], { env });
      assert.equal(dry.code, 0, dry.stderr);
      assert.equal((JSON.parse(dry.stdout) as Installed).done, false);
      assert.equal(existsSync(bench.units), false);
      const { code, stderr } = await bench.call(["up", "--install"], { env });
      assert.equal(code, 0, stderr);
      const files = readdirSync(bench.units).sort();
      assert.deepEqual(files, ["holdfast-check.service", "holdfast-check.timer", "holdfast.service"]);
      for (const file of files) assert.equal(statSync(path.join(bench.units, file)).mode & 0o777, 0o600);
      const checked = spawnSync(
        "systemd-analyze",
        [
          "--user",
          "--man=no",
          "--recursive-errors=no",
          "verify",
          ...files.map((file) => path.join(bench.units, file)),
        ],
        { encoding: "utf8", env: { ...process.env, XDG_RUNTIME_DIR: bench.root } },
      );
      assert.deepEqual([checked.status, checked.stderr], [0, ""]);
      const unit = readFileSync(path.join(bench.units, "holdfast.service"), "utf8");
      for (const line of ["Type=notify", "WatchdogSec=120s", "TimeoutAbortSec=5s", "KillMode=process"])
        assert.ok(unit.includes(`\n${line}\n`), `${line} is missing: ${unit}`);
      assert.deepEqual(bench.systemctlCalls(), [
        "--user daemon-reload",
        "--user enable --now holdfast.service holdfast-check.timer",
      ]);
    });
  },
);

test("L8 P4 up --uninstall takes away what was installed, and nothing else; a service manager that fails is reported", async (t) => {
  if (process.platform !== "linux") return t.skip("NOT CHECKED HERE: this is no Linux");
  await withBench(new ServiceBench(1), async (bench) => {
    const { env } = bench;
    const failed = await bench.call(["up", "--install"], { env });
    assert.equal(failed.code, 1);
    assert.match(
      failed.stderr,
      /files are written, but `systemctl --user daemon-reload` failed.*then run: systemctl/s,
    );
    const own = path.join(bench.units, "mine.service");
    writeFileSync(own, "[Service]\n");
    const { code, stdout } = await bench.call(["up", "--uninstall"], { env });
    assert.equal(code, 0);
    assert.match(stdout, /removed .*holdfast\.service/);
    assert.deepEqual(readdirSync(bench.units), ["mine.service"]);
    writeFileSync(path.join(bench.units, "holdfast.service"), "[Service]\n");
    for (const words of [["--install"], ["--uninstall"]]) {
      const refused = await bench.call(["up", ...words], { env });
      assert.equal(refused.code, 5);
      assert.match(refused.stderr, /was not written by Holdfast; move it away first/);
    }
  });
  return undefined;
});

/** The words of a unit's command as systemd reads them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = ""]) =>
    word.replaceAll("$$", "$").replaceAll("%%", "%").replaceAll(/\\(.)/g, "$1"),
  );

test(
  "L8 what the unit starts reports to a real socket that it is ready, that it makes progress, and that it stops; what it starts does not inherit the socket",
  onlyWithSystemd,
  async (t) => {
    if (process.platform !== "linux") return t.skip("NOT CHECKED HERE: this is no Linux");
    await withBench(new ServiceBench(), async (bench) => {
      assert.equal((await bench.call(["up", "--install"], { env: bench.env })).code, 0);
      const unit = readFileSync(path.join(bench.units, "holdfast.service"), "utf8");
      const [command = "", ...args] = wordsOf(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "");
      const env = Object.fromEntries(
        [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, text = ""]) => {
          const [pair = ""] = wordsOf(text);
          return [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
        }),
      );
      const socket = path.join(bench.root, "notify");
      const listener = spawn("perl", ["-e", LISTENER, socket], { stdio: ["ignore", "pipe", "inherit"] });
      let received = "";
      listener.stdout.setEncoding("utf8").on("data", (text: string) => (received += text));
      const hears = async (words: RegExp): Promise<void> => {
        for (const until = Date.now() + LIMIT_MS; !words.test(received); await delay(20))
          assert.ok(Date.now() < until, `never heard ${String(words)}: ${received}`);
      };
      t.after(() => listener.kill());
      await hears(/listening/);
      const inherited = path.join(bench.cwd, "inherited");
      bench.write(
        "look.mjs",
        `import { writeFileSync } from "node:fs";
         export async function look() { writeFileSync(${JSON.stringify(inherited)}, process.env.NOTIFY_SOCKET ?? "none"); return "looked"; }`,
      );
      const service = spawn(command, args, {
        cwd: bench.cwd,
        env: { ...env, HOLDFAST_WATCHDOG: "off", NOTIFY_SOCKET: socket, WATCHDOG_USEC: "600000" },
        stdio: "ignore",
      });
      const ended = new Promise<number | null>((resolve) => service.on("exit", resolve));
      t.after(() => service.kill("SIGKILL"));
      await hears(/READY=1.*supervisor of/);
      await hears(/WATCHDOG=1[^]*WATCHDOG=1[^]*WATCHDOG=1/);
      await bench.json(["run", "g", "--id", "r", "--agent", "function:look.mjs#look", "--detach"]);
      await bench.reaches("r", "completed");
      assert.equal(readFileSync(inherited, "utf8"), "none");
      service.kill("SIGTERM");
      await hears(/STOPPING=1/);
      assert.equal(await ended, 0);
    });
    return undefined;
  },
);

test("L8 a service waits for its turn while another supervisor works, and takes its place when that one is gone", async () => {
  await withBench(new ServiceBench(), async (bench) => {
    const first = bench.start(["up"]);
    await first.prints("supervisor of");
    const service = bench.start(["up", "--service"]);
    const next = bench.call(["up", "--in-background"]);
    assert.equal((await next).code, 0);
    assert.equal(service.stdout(), "");
    first.child.kill("SIGKILL");
    await service.prints("supervisor of");
    service.child.kill("SIGTERM");
    assert.equal((await service.ended).code, 0);
  });
});
