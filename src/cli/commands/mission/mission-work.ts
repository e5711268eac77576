import type { Command } from "commander";
import type { MissionAsk } from "../../mission/mission-at-hand.ts";
import {
  countOf,
  MISSION_RETRIES_DEFAULT,
  namedWorkstream,
  RETRIES_DEFAULT,
} from "../../mission/launch-words.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { examples, type Bind } from "../../shell/define-command.ts";

export const MISSION = "the mission's name; may be left out where there is only one";

/** Asks it of the mission that is named. */
export const ask = async (
  call: Invocation,
  name: string | undefined,
  request: MissionAsk,
  wait?: boolean,
): Promise<number> =>
  (await import("../../mission/ask-mission.ts")).askMission(call, name, request, { wait });

/** Launches one workstream. */
export function addLaunch(parent: Command, bind: Bind): void {
  const command = parent
    .command("launch")
    .summary("launch one workstream, or retry exactly one that has failed")
    .description(
      "Launches a workstream that is ready. With --retry one that has failed; refused, with the reason, when that is unsafe: not_retryable, several_failures, dependents_dispatched, repository_missing, repository_dirty, another_owner.",
    )
    .argument("[NAME]", MISSION)
    .option("--workstream <id>", "which one, as `mission status` shows it")
    .option("--retry", "it has failed: give it to another run")
    .option("--wait", "wait until it is done, has failed or needs somebody")
    .action(
      bind((call: Invocation, name: string | undefined, { workstream, retry = false, wait }: LaunchOptions) =>
        ask(call, name, { kind: "launch", workstream: namedWorkstream(workstream), retry }, wait),
      ),
    );
  command.addHelpText(
    "after",
    examples(
      ["mission launch --workstream api", "begin one by hand"],
      ["mission launch shop --workstream api --retry", "once more, after it has failed"],
    ),
  );
}

interface LaunchOptions {
  readonly workstream?: string;
  readonly retry?: boolean;
  readonly wait?: boolean;
}

interface AutopilotOptions {
  readonly off?: boolean;
  readonly autoRetry?: boolean;
  readonly maxRetries?: string;
  readonly maxMissionRetries?: string;
  readonly continueOnFailure?: boolean;
  readonly wait?: boolean;
}

/** Launches what is ready by itself. */
export function addAutopilot(parent: Command, bind: Bind): void {
  const command = parent
    .command("autopilot")
    .summary("launch what is ready by itself, wave after wave")
    .description(
      "Launches all workstreams that are ready, and the next ones when these are over, until everything is done. Stops by name: ready_to_accept, workstream_failed, retries_exhausted, retry_unsafe, barrier_held, nothing_ready, budget_exhausted, operator. Accepts nothing.",
    )
    .argument("[NAME]", MISSION)
    .option("--auto-retry", "give failed workstreams to another run, where that is safe")
    .option("--max-retries <count>", `retries of each workstream (${String(RETRIES_DEFAULT)})`)
    .option("--max-mission-retries <count>", `retries in all (${String(MISSION_RETRIES_DEFAULT)})`)
    .option("--continue-on-failure", "go on with what does not need a failed workstream")
    .option("--off", "launch nothing more; what is at work goes on")
    .option("--wait", "wait until it has stopped or needs somebody")
    .action(
      bind((call: Invocation, name: string | undefined, options: AutopilotOptions) =>
        ask(call, name, autopilotAsk(options), options.wait),
      ),
    );
  command.addHelpText(
    "after",
    examples(
      ["mission autopilot --auto-retry --max-retries 2", "failed workstreams are tried twice more"],
      ["mission autopilot shop --off", "launch nothing more"],
    ),
  );
}

function autopilotAsk({
  off,
  autoRetry = false,
  maxRetries,
  maxMissionRetries,
  continueOnFailure = false,
}: AutopilotOptions): MissionAsk {
  if (off === true) return { kind: "autopilot_off" };
  const retries = countOf("--max-retries", maxRetries) ?? RETRIES_DEFAULT;
  const missionRetries = countOf("--max-mission-retries", maxMissionRetries) ?? MISSION_RETRIES_DEFAULT;
  return { kind: "autopilot", autopilot: { autoRetry, retries, missionRetries, continueOnFailure } };
}

/** Has the work of all workstreams accepted. */
export function addApprove(parent: Command, bind: Bind): void {
  const command = parent
    .command("approve")
    .summary("approve the work of all workstreams, and have it accepted in order")
    .description(
      "One approval for all of it. Every repository is looked at before the first branch moves; then it only goes forward. What holds it is named with its command; once that is done, the same command goes on.",
    )
    .argument("[NAME]", MISSION)
    .option("--digest <digest>", "what `mission diff` has shown; refused if the work is another by now")
    .option("--wait", "wait until all of it is accepted or something holds it")
    .action(
      bind(
        (call: Invocation, name: string | undefined, { digest, wait }: { digest?: string; wait?: boolean }) =>
          ask(call, name, { kind: "approve", ...(digest === undefined ? {} : { digest }) }, wait),
      ),
    );
  command.addHelpText(
    "after",
    examples(
      ["mission approve --wait", "until everything is in your branches"],
      ["mission approve shop --digest 60405c", "exactly what was shown"],
    ),
  );
}
