import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { MissionSpec } from "../../model/mission/mission-spec.ts";
import { personOnly } from "../ask/who-asks.ts";
import { refuseHopeless } from "../continuous/goal-order.ts";
import { publishDay } from "../run/day-budget.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { requireTrust } from "../trust/require-trust.ts";
import { missionAtHand, showView, viewOf } from "./mission-at-hand.ts";
import { configOf, workstreamOrder } from "./mission-order.ts";
import { missionSpec, readMissionFile } from "./read-mission-file.ts";

interface StartWish {
  readonly name?: string;
  readonly trust?: boolean;
}

/** Records a mission whose workstreams could all begin; launches nothing. */
export async function startMission(call: Invocation, text: string, wish: StartWish): Promise<number> {
  const read = readMissionFile(text, call.surroundings.cwd, wish.name);
  return call.withSystem("create", async (system) => {
    const by = await personOnly(call, system, "begin a mission");
    const spec = await missionSpec(read, { system, stateFolder: call.stateFolder, config: undefined });
    await checkWorkstreams(call, spec, wish);
    await publishDay(await call.host(), system);
    const { answer, state } = await system.missions.ask(
      read.name,
      { kind: "begin", spec },
      { by, ...call.asked },
    );
    if (answer.kind === "refused")
      throw new Fault("refused", `${answer.text}; see ${call.command("mission", "status", read.name)}`, {
        details: { reason: answer.reason },
      });
    call.output.line(answer.text);
    warnOfDirt(call, await dirtOf(system, spec));
    showView(call, await viewOf(call, system, state), {
      answer: answer.text,
      changed: answer.events.length > 0,
    });
    return EXIT.done;
  });
}

/** Replaces what is left of a mission that has begun. */
export async function replanMission(call: Invocation, text: string, wish: StartWish): Promise<number> {
  const read = readMissionFile(text, call.surroundings.cwd, wish.name);
  return call.withSystem("empty", async (system) => {
    const { name } = await missionAtHand(call, system, read.name);
    const by = await personOnly(call, system, "plan a mission again");
    const spec = await missionSpec(read, { system, stateFolder: call.stateFolder, config: undefined });
    await checkWorkstreams(call, spec, wish);
    const { answer, state } = await system.missions.ask(
      name,
      { kind: "replan", spec },
      { by, ...call.asked },
    );
    if (answer.kind === "refused") throw refusedBy(call, name, answer);
    call.output.line(answer.text);
    const more = { answer: answer.text, changed: answer.events.length > 0 };
    showView(call, await viewOf(call, system, state), more);
    return EXIT.done;
  });
}

const refusedBy = (
  call: Invocation,
  name: string,
  { reason, text }: { readonly reason: string; readonly text: string },
): Fault =>
  new Fault("refused", `${reason}: ${text}; see ${call.command("mission", "status", name)}`, {
    details: { mission: name, reason },
  });

/** What could never be worked, and what nobody has trusted, is refused before anything is recorded. */
async function checkWorkstreams(call: Invocation, spec: MissionSpec, { trust }: StartWish): Promise<void> {
  const looked = new Set<string>();
  for (const workstream of spec.workstreams) {
    const kind = JSON.stringify([
      workstream.repository,
      workstream.agent,
      workstream.flow,
      workstream.checks,
    ]);
    if (looked.has(kind)) continue;
    looked.add(kind);
    const loaded = await configOf(spec, workstream, call.hostFolder);
    const { order, obeying } = workstreamOrder(spec, { workstream, handed: [] }, loaded);
    await refuseHopeless(order);
    await requireTrust(call, obeying, { trust });
  }
}

async function dirtOf(system: System, { repositories }: MissionSpec): Promise<string[]> {
  const found: string[] = [];
  for (const { path } of Object.values(repositories)) {
    const seen = await system.ports.repositories?.rehearse({ project: path, commits: [] });
    if (seen?.kind === "seen" && seen.dirty.length > 0)
      found.push(`${path} (${seen.dirty.slice(0, 5).join(", ")})`);
  }
  return found;
}

function warnOfDirt(call: Invocation, dirt: readonly string[]): void {
  if (dirt.length > 0)
    call.output.note(
      `holdfast: warning: what is not committed is not worked with, and has to be out of the way before work is accepted: ${dirt.join("; ")}`,
    );
}
