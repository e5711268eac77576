import { Fault } from "../../model/fault.ts";
import type { ContinuousSpec } from "../../model/continuous/continuous-spec.ts";
import { personOnly } from "../ask/who-asks.ts";
import { publishDay } from "../run/day-budget.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { ensureSupervisor, refuseIfStopped, workerText } from "../supervise/detached-supervisor.ts";
import { requireTrust } from "../trust/require-trust.ts";
import { showView, viewOf } from "./ask-session.ts";
import { orderOf, refuseHopeless } from "./goal-order.ts";
import { planOrderOf } from "./plan-order.ts";
import { readGoals } from "./read-goals.ts";
import { readSession, type SessionWish } from "./read-session.ts";
import { waitForSession } from "./wait-for-session.ts";

interface BeginWish extends SessionWish {
  readonly wait?: boolean;
  readonly trust?: boolean;
}

/** Begins a session, or says how the one of that name stands and leaves it as it is. */
export async function beginSession(call: Invocation, wish: BeginWish): Promise<number> {
  const { cwd } = call.surroundings;
  const { name, spec } = readSession(wish, cwd, await call.loadedConfig());
  await checkGoals(call, spec, wish);
  return call.withSystem("create", async (system) => {
    const by = await personOnly(call, system, "begin a session");
    await refuseIfStopped(call, system);
    await publishDay(await call.host(), system);
    const { answer, state } = await system.continuous.ask(
      name,
      { kind: "begin", spec },
      { by, ...call.asked },
    );
    if (answer.kind === "refused" && answer.why !== "blocked")
      throw new Fault("refused", `${answer.text}; see ${call.command("continuous", "status", name)}`);
    const isHeld = answer.kind === "refused";
    const supervisor = isHeld ? null : await ensureSupervisor(call, system);
    call.output.line(answer.text);
    if (supervisor !== null) call.output.line(workerText(supervisor));
    if (wish.wait === true && !isHeld) return waitForSession(call, system, name);
    const view = viewOf(call, system, state);
    showView(call, view, { answer: answer.text, changed: !isHeld && answer.events.length > 0, supervisor });
    return isHeld ? EXIT.waiting : EXIT.done;
  });
}

/** What could never be worked, and what nobody has trusted, is refused before anything is recorded. */
async function checkGoals(call: Invocation, spec: ContinuousSpec, { trust }: BeginWish): Promise<void> {
  const { goals, problems } = await readGoals(spec);
  if (problems.length > 0)
    throw new Fault("config_invalid", `no session was begun: ${problems.slice(0, 5).join("; ")}`, {
      details: { problems },
    });
  const loaded = await call.loadedConfig();
  if (spec.idle.policy === "plan") {
    const { order, obeying } = planOrderOf(
      spec,
      { id: "plan", goal: "plan", priority: 0 },
      { loaded, ended: [] },
    );
    await refuseHopeless(order);
    await requireTrust(call, obeying, { trust });
  }
  const looked = new Set<string>();
  for (const goal of goals) {
    const kind = JSON.stringify([goal.agent, goal.flow]);
    if (looked.has(kind)) continue;
    looked.add(kind);
    const { order, obeying } = orderOf(spec, goal, loaded);
    await refuseHopeless(order);
    await requireTrust(call, obeying, { trust });
  }
}
