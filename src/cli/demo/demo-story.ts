import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { commandText } from "../../model/text/command-text.ts";
import { statusView } from "../../views/status/status.ts";
import { layOutDemo, type DemoMaterial } from "./demo-material.ts";
import { EXIT_OF_STATUS } from "../shell/define-command.ts";
import { followRun } from "../run/follow-run.ts";
import type { Invocation } from "../shell/invocation.ts";
import { narrate } from "./demo-narration.ts";
import { showInBrowser } from "./show-in-browser.ts";
import { createProgress } from "../print/progress.ts";

export interface DemoOptions {
  /** A page shows the story in a browser while it plays. */
  readonly dashboard?: boolean;
}

const RUN = "demo";
const LIMIT_MS = 45_000;

/**
 * The demo: a first process supervises a run and is killed with SIGKILL in the middle of a turn; this process takes
 * the run over, finds the agent still at work, receives what it said meanwhile, and brings the run home.
 */
export async function playDemo(call: Invocation, options: DemoOptions = {}): Promise<number> {
  const material = layOutDemo();
  const say = (text: string): void => {
    call.output.line(text);
  };
  say(`a throw-away repository: ${material.repository}`);
  say(
    "three steps: plan, build, verify. The builder crashes, its supervisor is killed, the verifier goes round in",
  );
  say(
    "circles and then meets a limit of its provider. In earnest the waits below are minutes; here they are seconds.",
  );
  say("");
  const first = startFirst(material, say);
  const shown = options.dashboard === true ? showInBrowser(call, material, RUN) : Promise.resolve();
  const { openSystem } = await import("../../main.ts");
  const { hostSettingsSchema } = await import("../../model/settings/settings.ts");
  const killedAt = await killInTheMiddle(material, first);
  say("");
  say(`── SIGKILL: the supervisor (pid ${String(first.pid)}) is gone; its agent does not know and goes on`);
  await delay(1_500);
  say("── a new supervisor starts and looks into the journal");
  say("");
  const system = await openSystem({ store: material.store, settings: hostSettingsSchema.parse({}) });
  try {
    await workOn(call, system, killedAt);
    await shown;
    return await conclude(call, system, material);
  } finally {
    await system.close();
  }
}

/** The same program as this one, working the run in front. */
function startFirst({ repository, flow, store }: DemoMaterial, say: (text: string) => void): ChildProcess {
  const [, script] = process.argv;
  if (script === undefined)
    throw new Fault("broken_promise", "the command line does not know its own program");
  // The repository and its agents were written by the demo itself a moment ago.
  const words = ["run", "greet the world", "--flow", flow, "--id", RUN, "--store", store, "--trust"];
  const child = spawn(process.execPath, [...process.execArgv, script, ...words], {
    cwd: repository,
    env: { ...process.env, TERM: "dumb" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    for (const line of text.split("\n").filter(Boolean)) say(`  ${line}`);
  });
  return child;
}

/** Waits until the second attempt of `build` is seen at work, kills, and answers how far the journal was. */
async function killInTheMiddle({ store }: DemoMaterial, first: ChildProcess): Promise<number> {
  const { openSystem } = await import("../../main.ts");
  const { hostSettingsSchema } = await import("../../model/settings/settings.ts");
  const until = Date.now() + LIMIT_MS;
  let system: System | null = null;
  try {
    for (;;) {
      if (first.exitCode !== null || Date.now() >= until)
        throw new Fault(
          "supervisor_failed",
          "the demo's first supervisor ended before it could be killed; see above",
        );
      system ??= await openSystem({ store, settings: hostSettingsSchema.parse({}) });
      const state = await system.loadRun(RUN);
      if (state !== null && isInTheMiddle(state)) break;
      await delay(50);
    }
    first.kill("SIGKILL");
    await once(first, "exit");
    return (await system.loadRun(RUN))?.seq ?? 0;
  } finally {
    await system?.close();
  }
}

const isInTheMiddle = ({ attempts }: RunState): boolean =>
  (attempts["build#2"]?.lastSignalAt ?? null) !== null;

async function workOn(call: Invocation, system: System, after: number): Promise<void> {
  const over = new AbortController();
  const supervisor = system.supervisor({ only: RUN });
  const progress = createProgress(call.output, () => supervisor.stateOf(RUN));
  const show = async (): Promise<void> => {
    for await (const event of followRun(system.ports.journal, RUN, { after, until: over.signal })) {
      progress.event(event);
      const words = narrate(event);
      if (words !== null) progress.say(`── ${words}`);
    }
  };
  const shown = show();
  const tooLong = setTimeout(() => supervisor.stop(), LIMIT_MS);
  try {
    await supervisor.work();
  } finally {
    clearTimeout(tooLong);
    over.abort();
    await shown;
    progress.close();
  }
}

async function conclude(call: Invocation, system: System, material: DemoMaterial): Promise<number> {
  const state = await system.loadRun(RUN);
  if (state === null) throw new Fault("not_found", "the demo's run is gone");
  const damages = await system.ports.journal.verify();
  const steps = Object.values(state.steps);
  const started = steps.reduce((sum, step) => sum + step.started, 0);
  const charged = steps.reduce((sum, step) => sum + step.charged, 0);
  call.output.document({ ...statusView(state, material.store), damages, repository: material.repository });
  const lines = [
    "",
    `the run is ${state.status}: ${String(started)} attempts for ${String(steps.length)} steps, ${String(charged)} of them charged: ` +
      "the crash. Neither the kill nor the circles nor the limit cost the run an attempt",
    `the journal holds ${String(state.seq)} events and verifies: ${damages.length === 0 ? "every hash fits" : "DAMAGED"}`,
    "",
    "look around (in a checkout, after `npx`):",
    ...["status", "why", "events"].map((word) => `  ${commandText([word, RUN], material.store)}`),
    "",
    "or see all of it in a browser, on the run's timeline:",
    `  ${commandText(["dashboard"], material.store)}`,
    "",
    "then try it with a goal of your own:",
    `  ${commandText(["run", "say hello", "--agent", "demo"], null)}`,
  ];
  for (const line of lines) call.output.line(line);
  return damages.length === 0 ? EXIT_OF_STATUS[state.status] : 1;
}
