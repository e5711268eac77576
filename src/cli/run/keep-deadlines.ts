import type { System } from "../../main.ts";
import { errorText } from "../../model/fault.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { supervisedRun, type SupervisedRun } from "../../views/status/supervision.ts";
import { ensureSupervisor, workerText } from "../supervise/detached-supervisor.ts";
import type { Invocation } from "../shell/invocation.ts";

/** Nothing of the run is left to do but to notify people of it. */
export const onlyNotifies = ({ status, attempts, effects, notices }: Readonly<RunState>): boolean =>
  (status === "blocked" || status === "awaiting_approval" || isEnded(status)) &&
  Object.keys(attempts).length === 0 &&
  Object.values(effects).every(({ kind }) => kind === "Notify") &&
  Object.keys(notices).length > 0;

/** By the configuration, unless the command line says otherwise. */
export const mayHandOver = (system: System, asked?: boolean): boolean =>
  asked !== false && system.ports.settings.supervisor.handOver;

/**
 * A command that ends leaves no deadline without somebody who acts on it: a background supervisor takes it over, or
 * one line says that nobody will act, with the command that changes it.
 */
export async function keepDeadlines(
  call: Invocation,
  system: System,
  state: Readonly<RunState>,
  handsOver: boolean,
): Promise<void> {
  const now = Date.now();
  const { due } = supervisedRun(state, now);
  if (due === null) return;
  const what = dueText(state, due);
  const isFar = due.at - now > system.ports.settings.supervisor.stayForMs;
  if (!handsOver || isFar) {
    if ((await system.host.holder()) !== null) return;
    call.output.line(
      `no supervisor runs; due: ${what}: ${call.command("up", isFar ? "--install" : "--detach")}`,
    );
    return;
  }
  try {
    call.output.line(`${what}; ${workerText(await ensureSupervisor(call, system))}`);
  } catch (error) {
    call.output.note(
      `holdfast: no supervisor runs; due: ${what}: ${call.command("up", "--detach")}: ${errorText(error)}`,
    );
  }
}

/** Notices are counted: a receiver that is away may miss several. */
function dueText({ notices }: Readonly<RunState>, { what, at }: NonNullable<SupervisedRun["due"]>): string {
  const left = Object.keys(notices).length;
  if (left === 0) return `${what} (${isoTime(at)})`;
  return left === 1 ? "1 notice to deliver" : `${String(left)} notices to deliver`;
}
