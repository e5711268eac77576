import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openDoor } from "../../../src/agents/mcp-door.ts";
import { socketOf } from "../../../src/agents/tmux/tmux-client.ts";
import { attemptId } from "../../../src/model/ids.ts";
import { CliBench } from "../../cli/cli-process.ts";
import { tried, type Attack, type Outcome, type Tried } from "../attack.ts";

const NOBODY = 65_534;
const SECRETS = {
  HOOK_SECRET: `whsec_${Buffer.from("a signing key that nobody may see").toString("base64")}`,
  CHAT_URL: "https://chat.example.invalid/services/T0PSECRET/B0PSECRET",
};

/** What another user's process can do with a path: nothing, or something that it should not. */
const PROBE = `
const fs = require("node:fs"), net = require("node:net");
const [paths, sockets, pids] = JSON.parse(fs.readFileSync(0, "utf8"));
process.setgid(${String(NOBODY)}); process.setuid(${String(NOBODY)});
const found = [];
const can = (what, act) => { try { act(); found.push(what); } catch {} };
for (const p of paths) {
  can("read " + p, () => { const s = fs.lstatSync(p); if (s.isDirectory()) fs.readdirSync(p); else if (s.isFile()) fs.closeSync(fs.openSync(p, "r")); else throw 0; });
  can("write " + p, () => { const s = fs.lstatSync(p); if (s.isDirectory()) { fs.writeFileSync(p + "/intruder", ""); } else fs.closeSync(fs.openSync(p, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)); });
}
for (const pid of pids) for (const name of ["environ", "fd", "mem", "cwd"])
  can("read /proc/" + pid + "/" + name, () => { const p = "/proc/" + pid + "/" + name; name === "fd" ? fs.readdirSync(p) : name === "cwd" ? fs.readlinkSync(p) : fs.readFileSync(p); });
let open = sockets.length;
const done = () => { if (open-- <= 0) console.log(JSON.stringify(found)); };
for (const s of sockets) net.connect(s).on("connect", () => { found.push("connect " + s); done(); }).on("error", done);
done();
`;

/** A run at work whose folders only Holdfast's own modes protect: everything above them is open to everybody. */
async function atWork(): Promise<{ readonly bench: CliBench; readonly pids: readonly string[] }> {
  const terminal = { use: "tmux", command: ["/bin/sh", "-c", "sleep 300"] };
  const channels = {
    ops: { use: "webhook", url: "https://example.invalid/hook", secretEnv: "HOOK_SECRET" },
    chat: { use: "webhook", urlEnv: "CHAT_URL" },
  };
  const bench = new CliBench({
    "hangs.json": JSON.stringify({ attempts: [[{ do: "say", text: "begun" }, { do: "hang" }]] }),
    "holdfast.json": JSON.stringify({ agents: { terminal }, notify: { channels } }),
  });
  chmodSync(bench.root, 0o755);
  const start = async (run: string, agent: string): Promise<void> => {
    const begun = await bench.call(["run", "x", "--agent", agent, "--detach", "--id", run], { env: SECRETS });
    assert.equal(begun.code, 0, begun.stdout + begun.stderr);
  };
  await start("d", "demo:hangs.json");
  await bench.receives("d", "begun");
  await start("m", "terminal");
  const socket = socketOf(`${bench.store}-sessions`);
  for (const until = Date.now() + 60_000; !existsSync(socket) && Date.now() < until;) await delay(100);
  assert.ok(existsSync(socket), "a terminal is at work");
  return { bench, pids: pidsOf(bench.root) };
}

const read = (file: string): string => {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
};

/** Processes that work for the bench: they name it in their arguments or environment. */
const pidsOf = (root: string): string[] =>
  readdirSync("/proc").filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      pid !== String(process.pid) &&
      (read(`/proc/${pid}/environ`) + read(`/proc/${pid}/cmdline`)).includes(root),
  );

const walk = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? [file, ...walk(file)] : [file];
  });

async function otherUser(): Promise<Outcome> {
  if (process.getuid?.() !== 0) return { kind: "skipped", reason: "only root can become another user" };
  const { bench, pids } = await atWork();
  try {
    const sockets = walk(bench.home).filter((file) => lstatSync(file).isSocket());
    const paths = [bench.cwd, bench.home, ...walk(bench.home)];
    assert.ok(
      paths.length > 10 && pids.length >= 2,
      `${String(paths.length)} paths, ${String(pids.length)} processes`,
    );
    const input = JSON.stringify([paths, sockets, pids]);
    const probe = spawnSync(process.execPath, ["-e", PROBE], {
      input,
      encoding: "utf8",
      timeout: 60_000,
      cwd: "/",
    });
    assert.equal(probe.status, 0, probe.stderr);
    const found = JSON.parse(probe.stdout) as string[];
    // The user's own folder is as open as the user has made it.
    const control = `read ${bench.cwd}`;
    assert.ok(found.includes(control), "the probe finds what is open");
    const succeeded = found.filter((what) => what !== control);
    return tried(paths.length * 2 + pids.length * 4 + sockets.length + 1, succeeded);
  } finally {
    await bench.close();
  }
}

/** Every token and secret there is, looked for in every file and argument list that Holdfast made. */
async function tokens(): Promise<Tried> {
  const { bench, pids } = await atWork();
  try {
    const door = openDoor(`${bench.store}-sessions`, `sqlite:${bench.store}`);
    const { key } = JSON.parse(readFileSync(door.file, "utf8")) as { key: string };
    const hidden: Record<string, string> = {
      "the key of the door": key,
      "the token of a demo's attempt": door.tokenOf({ run: "d", attempt: attemptId("work", 1) }),
      "the token of a terminal's attempt": door.tokenOf({ run: "m", attempt: attemptId("work", 1) }),
      ...SECRETS,
    };
    const files = walk(bench.home).filter((file) => lstatSync(file).isFile());
    const succeeded: string[] = [];
    const look = (where: string, text: string): void => {
      for (const [name, value] of Object.entries(hidden))
        if (text.includes(value) && !(where === door.file && name === "the key of the door"))
          succeeded.push(`${name} is in ${where}`);
    };
    for (const file of files) look(file, read(file));
    for (const pid of pids)
      look(
        `the arguments of process ${pid} (${read(`/proc/${pid}/comm`).trim()})`,
        read(`/proc/${pid}/cmdline`),
      );
    for (const command of [["status", "d"], ["events", "d", "--json"], ["logs", "d"], ["doctor"]]) {
      const { stdout, stderr } = await bench.call(command);
      look(command.join(" "), stdout + stderr);
    }
    return tried((files.length + pids.length + 4) * Object.keys(hidden).length, succeeded);
  } finally {
    await bench.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "user", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
    title:
      "another user reads, writes and connects to every file and socket, and looks into processes at work",
    run: otherUser,
  },
  {
    ...{ threat: "T5", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
    title: "tokens and signing secrets are looked for in files, argument lists and what commands print",
    run: tokens,
  },
];
