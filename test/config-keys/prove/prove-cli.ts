import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import path from "node:path";
import { claimNever, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { askRun } from "../../../src/cli/ask/ask-run.ts";
import { beSupervisor } from "../../../src/cli/supervise/be-supervisor.ts";
import { keepDeadlines, mayHandOver } from "../../../src/cli/run/keep-deadlines.ts";
import { planService } from "../../../src/cli/supervise/install-service.ts";
import { Invocation } from "../../../src/cli/shell/invocation.ts";
import { Output } from "../../../src/cli/print/output.ts";
import { runOrder } from "../../../src/cli/run/run-order.ts";
import { openSystem, type System } from "../../../src/main.ts";
import type { Config } from "../../../src/model/settings/config.ts";
import { splitSettings } from "../../host-settings.ts";
import { HOUR, MINUTE } from "../life.ts";
import { prove } from "../proof.ts";
import { freshFolder } from "../real.ts";

interface Called {
  readonly call: Invocation;
  readonly store: string;
  readonly cwd: string;
  readonly printed: string[];
}

/** The command line as it is called in a folder with that configuration, on a store of its own. */
function called(config: Config): Called {
  const { repository, host } = splitSettings(config);
  const cwd = freshFolder({
    "holdfast.yaml": JSON.stringify(repository),
    ".config/holdfast/holdfast.yaml": JSON.stringify(host),
  });
  const store = `sqlite:${path.join(cwd, "store.sqlite")}`;
  const printed: string[] = [];
  const sink = { write: (text: string) => printed.push(text) > 0 };
  const output = new Output({ json: true, stdout: sink, stderr: sink });
  const call = new Invocation({ store, json: true }, output, { env: {}, cwd, home: cwd });
  return { call, store, cwd, printed };
}

const later = (ms: number): Promise<"later"> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms, "later");
  });

const ROUNDS = 40;

/** How a supervisor in the background comes to its end: by itself, or because it is told to after many rounds. */
async function inBackground(config: Config): Promise<{ end: string; logs: number }> {
  const { call, store, printed } = called(config);
  const system = await openSystem({ store, settings: config });
  try {
    return await inBackgroundOn(call, system, printed);
  } finally {
    await system.close();
  }
}

async function inBackgroundOn(
  call: Invocation,
  system: System,
  printed: string[],
): Promise<{ end: string; logs: number }> {
  const config = await call.config();
  let rounds = 0;
  const notice = {
    ready: () => undefined,
    progress: () => {
      if ((rounds += 1) > ROUNDS) system.host.stop();
    },
    stopping: () => Promise.resolve(),
  };
  await beSupervisor(call, system, { config, as: "background", notice });
  const logs = existsSync(call.stateFolder)
    ? readdirSync(call.stateFolder).filter((name) => name.endsWith(".log")).length
    : 0;
  return { ...(JSON.parse(printed.join("")) as { end: string }), logs };
}

const ANSWERED_AFTER_MS = 300;

/** A run whose owner lives and takes its time; what somebody who asks something of it is told. */
async function asked(config: Config): Promise<string> {
  const { call, store, cwd, printed } = called(config);
  const system = await openSystem({ store, settings: config });
  try {
    const held = await system.createRun(runOrder({ goal: "wait", agent: "manual" }, config, cwd));
    const asking = askRun(call, held.run, { kind: "cancel" });
    await untilMail(system, held.run);
    await Promise.race([asking, later(ANSWERED_AFTER_MS)]);
    await system.supervisor({ only: held.run, held }).work();
    await asking;
    return (JSON.parse(printed.join("")) as { outcome: string }).outcome;
  } finally {
    await system.close();
  }
}

async function untilMail({ ports: { journal } }: System, run: string): Promise<void> {
  for (const end = Date.now() + MINUTE; !(await journal.addressesWithMail()).includes(run); await later(5))
    if (Date.now() > end) throw new Error("nothing was asked");
}

/** Whether a supervisor starts a sibling: its log is opened before that, and a program that does nothing stands in for it. */
async function startsBeside(config: Config): Promise<boolean> {
  const [, own = ""] = process.argv;
  process.argv[1] = path.join(freshFolder({ "nothing.mjs": "" }), "nothing.mjs");
  try {
    const { logs } = await inBackground(config);
    return logs > 0;
  } finally {
    process.argv[1] = own;
  }
}

/** A paused run that an alarm wakes in an hour, on a store of its own. */
async function withAlarm<T>(
  config: Config,
  work: (called: Called, system: System, run: string) => Promise<T>,
): Promise<T> {
  const one = called(config);
  const system = await openSystem({ store: one.store, settings: config });
  try {
    const order = runOrder({ goal: "wait", agent: "manual" }, config, one.cwd);
    const { run, epoch } = await system.createRun(order);
    await system.leases.release(run, epoch);
    for (const request of [
      { kind: "pause" },
      { kind: "alarm", dueAt: Date.now() + HOUR, note: "look" },
    ] as const)
      await system.requests.ask(run, request, { by: "ada", waitMs: MINUTE });
    return await work(one, system, run);
  } finally {
    await system.close();
  }
}

/** How a background supervisor ends that has nothing to do before the alarm. */
const withLaterWork = (config: Config): Promise<string> =>
  withAlarm(config, async ({ call, printed }, system) => (await inBackgroundOn(call, system, printed)).end);

/** Whether a command that ends starts a supervisor for the alarm: its log is opened before that. */
async function handsOver(config: Config): Promise<boolean> {
  const [, own = ""] = process.argv;
  process.argv[1] = path.join(freshFolder({ "nothing.mjs": "" }), "nothing.mjs");
  try {
    return await withAlarm(config, async ({ call }, system, run) => {
      const state = await system.loadRun(run);
      if (state !== null) await keepDeadlines(call, system, state, mayHandOver(system));
      return existsSync(call.stateFolder);
    });
  } finally {
    process.argv[1] = own;
  }
}

/** What a supervisor says of the machine's sleep while an agent works. */
async function saysOfSleep(config: Config): Promise<boolean> {
  const { store } = called(config);
  const system = await openSystem({ store, settings: config });
  try {
    system.ports.awake?.set(true);
    return system.awakeOf(process.pid)?.text.includes("supervisor.keepAwake is false") ?? false;
  } finally {
    await system.close();
  }
}

/** By how much a check gives way to this process. */
async function givesWay(config: Config): Promise<number> {
  const { store } = called(config);
  const system = await openSystem({ store, settings: config });
  try {
    const order = { key: "nice", command: "exit $(($(nice) + 20))", cwd: tmpdir(), limitMs: MINUTE };
    const { signal } = new AbortController();
    const { exitCode } = await system.ports.quality.check(
      { ...order, outputBytesMax: 1_000, env: {} },
      signal,
    );
    return (exitCode ?? 0) - 20 - getPriority();
  } finally {
    await system.close();
  }
}

/** Whether output of a session that is over is left out. */
async function leavesOutput(config: Config): Promise<boolean> {
  const { store } = called(config);
  const system = await openSystem({ store, settings: config });
  try {
    const session = sessionFolder(`${store.replace(/^sqlite:/, "")}-sessions`, "loud");
    claimNever(session, "n");
    writeFileSync(session.out, `${"x".repeat(999)}\n`.repeat(3_000));
    const driver = system.ports.drivers.get("demo");
    return await new Promise<boolean>((resolve) => {
      let left = false;
      driver?.listen({ session: "loud", spec: { use: "demo" } as never }, "", ({ signals, reached }) => {
        left ||= reached !== undefined;
        if (signals.at(-1)?.kind === "exit") resolve(left);
        return Promise.resolve();
      });
    });
  } finally {
    await system.close();
  }
}

const ALONE = { watchdog: { sibling: false } };

export const CLI_PROOFS = [
  prove(
    "supervisor.idleExitMs",
    [1, HOUR],
    async (config) => (await inBackground(config)).end,
    ["idle", "asked"],
    {
      ...ALONE,
      supervisor: { scanMs: 5 },
    },
  ),
  prove("supervisor.stayForMs", [MINUTE, 2 * HOUR], withLaterWork, ["idle", "asked"], {
    ...ALONE,
    supervisor: { scanMs: 5, idleExitMs: 1 },
  }),
  prove("supervisor.handOver", [true, false], handsOver, [true, false]),
  prove("supervisor.outputBytesMax", [100_000, 10_000_000], leavesOutput, [true, false]),
  prove("supervisor.agentNice", [0, 5], givesWay, [0, 5]),
  prove("supervisor.keepAwake", [true, false], saysOfSleep, [false, true]),
  prove("requests.answerWaitMs", [1, MINUTE], asked, ["queued", "done"], ALONE),
  prove(
    "watchdog.checkMs",
    [MINUTE, 10 * MINUTE],
    (config) => {
      const { files } = planService(called(config).call, config, "linux");
      return /^OnUnitInactiveSec=(\d+)s$/m.exec(files.map(({ text }) => text).join("\n"))?.[1];
    },
    ["60", "600"],
  ),
  prove("watchdog.sibling", [true, false], startsBeside, [true, false], { supervisor: { idleExitMs: 1 } }),
];
