import path from "node:path";
import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import { isCode } from "../../config/find-config.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { ensureSupervisor, refuseIfStopped } from "../../supervise/detached-supervisor.ts";
import type { ReadDocument } from "../../config/read-document.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { runInForeground } from "../../run/run-in-foreground.ts";
import { publishDay } from "../../run/day-budget.ts";
import type { System } from "../../../main.ts";
import { placementOf } from "../../run/placement-of.ts";
import type { RunWish } from "../../run/run-order.ts";
import { gateKeys, printToken } from "../../run/gate-keys.ts";
import { whoAsks } from "../../ask/who-asks.ts";

interface RunOptions extends Omit<RunWish, "goal" | "module" | "configFile" | "by" | "warn"> {
  readonly detach?: boolean;
  readonly handOver?: boolean;
  readonly trust?: boolean;
  readonly on?: string;
  readonly labels?: string;
}

export function addRun(parent: Command, bind: Bind): void {
  const command = parent
    .command("run")
    .summary("start a run, in the foreground or detached")
    .description(
      "Starts a run. In the foreground this command supervises it, shows what happens and ends with the run; Ctrl-C pauses it.",
    )
    .argument("[GOAL]", "what is to be done, in your words")
    .option(
      "--flow <file>",
      "a flow of several steps: a YAML, JSON or TypeScript file, or a name in .holdfast/flows",
    )
    .option(
      "--agent <name>",
      "a configured agent, or demo, demo:SCRIPT, function:PATH[#EXPORT]; with --flow for steps that name none",
    )
    .option("--plan <agent>", "this agent turns the goal into steps first; --agent does them")
    .option(
      "--check <command>",
      "a command that must pass before the work counts as done; may be given several times",
      (command: string, before: readonly string[] = []) => [...before, command],
    )
    .option("--budget <usd>", "suspend the agents once this much is spent (see docs/limits.md)")
    .option(
      "--budget-by <kind=amount>",
      "a budget of time=2h at work or of turns=40, where an agent cannot count money; may be given several times",
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option(
      "--timeout <time>",
      "stop when it has worked this long, such as 2h; waiting for you is not counted",
    )
    .option("--no-resume", "when a provider's limit is over, ask a person instead of going on")
    .option("--reviewer <name>", "an agent that must accept the work, once its checks have passed")
    .option("--approve <what>", "wait for approval of the plan, of completion, or both: plan,completion")
    .option(
      "--worktree",
      "work in a git worktree of its own, on its own branch, outside of your tree; the default in a git repository",
    )
    .option("--in-place", "work in your folder itself")
    .option("--on <host>", "only this host works it, by its name or id (see docs/fleet.md); with --detach")
    .option("--labels <labels>", "only hosts that have all of these work it: gpu,linux; with --detach")
    .option("--detach", "leave the work to a supervisor in the background")
    .option(
      "--no-hand-over",
      "when this command ends, start no background supervisor for what is still due; say that nobody will act",
    )
    .option("--trust", "trust what the repository's files name, as it is now (see docs/trust.md)")
    .option("--id <id>", "the run's id, instead of a generated one")
    .action(bind(run));
  command.addHelpText(
    "after",
    examples(
      ['run "say hello" --agent demo', "one step, by the scripted agent, in the foreground"],
      ['run "fix the failing tests" --agent demo --check "npm test"', "done only when the tests pass"],
      ["run --flow release.yaml --detach", "several steps, in the background"],
      ['run "sort the mail" --agent function:./agent.ts --id mail-1', "your own function, under your own id"],
    ),
  );
}

/** A flow in TypeScript is made by its module. One that the repository brings by a name is run only if it is trusted. */
async function flowModule(
  call: Invocation,
  goal: string | undefined,
  { flow, trust }: RunOptions,
): Promise<{ readonly module?: ReadDocument }> {
  if (flow === undefined) return {};
  const { findFlow, importFlow } = await import("../../config/find-flow.ts");
  const file = findFlow(flow, call.surroundings.cwd);
  if (!isCode(file)) return {};
  const isNamed = path.resolve(call.surroundings.cwd, flow) === file;
  if (!isNamed) await (await import("../../trust/trust-run.ts")).trustModule(call, file, { trust });
  return { module: await importFlow(file, goal) };
}

/** What an agent starts counts as part of the run that the agent works for. */
async function familyOf(
  { surroundings: { env } }: Invocation,
  system: System,
): Promise<{ readonly family?: string }> {
  const parent = env["HOLDFAST_RUN"];
  if (parent === undefined || parent === "") return {};
  const state = await system.loadRun(parent).catch(() => null);
  return state === null ? {} : { family: state.family ?? state.run };
}

/** Nothing is recorded of a run that could not begin. */
async function refuseHopeless(order: Parameters<System["createRun"]>[0]): Promise<void> {
  const { lookBeforehand } = await import("../../../main.ts");
  const problems = lookBeforehand(order);
  if (problems.length === 0) return;
  throw new Fault("usage", `no run was made: ${problems.join("; ")}`, { details: { problems } });
}

/** The run that this very request has made already, before its server was killed. */
async function madeBefore(call: Invocation, system: System, id: string | undefined) {
  const { request } = call.asked;
  if (!call.isRepeated || id === undefined || request === undefined) return null;
  const [created] = await system.ports.journal.read(id, { after: 0, limit: 1 });
  if (created?.type !== "RunCreated" || created.data.request !== request) return null;
  const hasToken = (created.data.approverKeys ?? []).some(({ proof }) => proof === "token");
  return { run: id, token: hasToken ? (call.serving?.once.secret("gate") ?? null) : null };
}

/** It is in the store; a supervisor has to live for it. */
async function leaveToSupervisor(
  call: Invocation,
  system: System,
  { run, token }: { readonly run: string; readonly token: string | null },
): Promise<number> {
  const supervisor = await ensureSupervisor(call, system);
  const commands = {
    status: call.command("status", run),
    follow: call.command("events", run, "--follow"),
  };
  const gateToken = token === null ? {} : { gateToken: token };
  call.output.document({ run, supervisor, commands, ...gateToken });
  call.output.line(run);
  call.output.line(`supervised by pid ${String(supervisor.pid)} (${supervisor.state})`);
  call.output.line(`see ${commands.status}`);
  return EXIT.done;
}

async function run(call: Invocation, goal: string | undefined, options: RunOptions): Promise<number> {
  const made = !call.isRepeated
    ? null
    : await call.withSystem("create", (system) => madeBefore(call, system, options.id));
  if (made !== null) return call.withSystem("create", (system) => leaveToSupervisor(call, system, made));
  const [{ runOrder }, { trustedSource }] = await Promise.all([
    import("../../run/run-order.ts"),
    import("../../trust/trust-run.ts"),
  ]);
  const { cwd } = call.surroundings;
  const placement = placementOf(call, options);
  const module = await flowModule(call, goal, options);
  const warn = (text: string): void => {
    call.output.note(text);
  };
  const { config, file: configFile } = await call.loadedConfig();
  const wish = { goal, ...options, ...module, by: whoAsks(call), warn, configFile };
  const wished = runOrder(wish, config, cwd);
  await refuseHopeless(wished);
  const order = { ...wished, ...placement, ...(await trustedSource(call, wished, options)) };
  return call.withSystem("create", async (system) => {
    await refuseIfStopped(call, system);
    await publishDay(await call.host(), system);
    const { keys, token } = await gateKeys(call, system, order);
    const asked = { ...order, ...keys, ...call.asked, ...(await familyOf(call, system)) };
    const created = await system.createRun(asked);
    printToken(call, created.run, token);
    if (options.detach !== true) return runInForeground(call, system, created, options);
    await system.leases.release(created.run, created.epoch);
    return leaveToSupervisor(call, system, { run: created.run, token });
  });
}
