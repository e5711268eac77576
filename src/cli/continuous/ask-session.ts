import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import { continuousView, type ContinuousView } from "../../views/continuous/continuous-view.ts";
import { personOnly } from "../ask/who-asks.ts";
import { countsText } from "../../views/continuous/session-note.ts";
import { continuousLines } from "../print/continuous-lines.ts";
import { tableLines } from "../print/table.ts";
import { didYouMean } from "../shell/nearest.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { ensureSupervisor } from "../supervise/detached-supervisor.ts";

type State = NonNullable<Awaited<ReturnType<System["continuous"]["load"]>>>;
type Ask = Exclude<Parameters<System["continuous"]["ask"]>[1], { kind: "begin" }>;

export const viewOf = (call: Invocation, system: System, state: State): ContinuousView =>
  continuousView(state, system.ports.world.now(), call.store.named);

/** A session with what else there is to say, as a document or for people. */
export function showView(
  call: Invocation,
  view: ContinuousView,
  more: Readonly<Record<string, unknown>> = {},
): void {
  call.output.document({ ...view, ...more });
  for (const line of continuousLines(view)) call.output.line(line);
}

export function showSession(call: Invocation, named: string | undefined): Promise<number> {
  return call.withSystem("empty", async (system) => {
    showView(call, viewOf(call, system, await sessionAtHand(call, system, named)));
    return EXIT.done;
  });
}

export function listSessions(call: Invocation): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const names = await system.continuous.names();
    const states = await Promise.all(names.map((name) => system.continuous.load(name)));
    const views = states.flatMap((state) => (state === null ? [] : [viewOf(call, system, state)]));
    call.output.document({ sessions: views.map(({ goals: _goals, ...view }) => view) });
    if (views.length === 0)
      call.output.line(
        `no sessions yet; begin one with ${call.command("continuous", "goals.yaml", "--agent", "demo")}`,
      );
    else
      for (const line of tableLines([
        ["SESSION", "STATUS", "GOALS", "BLOCKED BY"],
        ...views.map(({ session, status, end, counts, blockedBy }) => [
          session,
          end ?? status,
          countsText(counts),
          blockedBy.map(({ run }) => run).join(", "),
        ]),
      ]))
        call.output.line(line);
    return EXIT.done;
  });
}

/** Pauses, resumes or stops a session, or leaves one of its goals out. */
export function askSession(call: Invocation, named: string | undefined, request: Ask): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const { name } = await sessionAtHand(call, system, named);
    const by = await personOnly(call, system, `${request.kind} a session`);
    const { answer, state } = await system.continuous.ask(name, request, { by, ...call.asked });
    const see = call.command("continuous", "status", name);
    if (answer.kind === "refused" && answer.why === "unknown")
      throw new Fault("not_found", `${answer.text}; see ${see}`);
    if (answer.kind === "refused" && answer.why !== "blocked")
      throw new Fault("refused", `${answer.text}; see ${see}`);
    const isOn = answer.kind === "done" && request.kind !== "pause";
    // Runs at work have to hear of a stop, and cancelled ones of that.
    const supervisor =
      isOn && (await system.store.standing()).stop === null ? await ensureSupervisor(call, system) : null;
    const view = viewOf(call, system, state);
    call.output.line(answer.text);
    const changed = answer.kind === "done" && answer.events.length > 0;
    showView(call, view, { answer: answer.text, changed, supervisor });
    return answer.kind === "refused" ? EXIT.waiting : EXIT.done;
  });
}

/** The session named; without a name the only one that is not over, or the newest of all. */
export async function sessionAtHand(
  call: Invocation,
  system: System,
  named: string | undefined,
): Promise<State> {
  const names = await system.continuous.names();
  if (named !== undefined) {
    const state = names.includes(named) ? await system.continuous.load(named) : null;
    if (state !== null) return state;
    throw new Fault(
      "not_found",
      `there is no session "${named}"${didYouMean(named, names)}; see ${call.command("continuous", "list")}`,
    );
  }
  const states = (await Promise.all(names.map((name) => system.continuous.load(name)))).filter(
    (one) => one !== null,
  );
  const open = states.filter(({ end }) => end === null);
  if (open.length > 1)
    throw new Fault("usage", `which session? open are ${open.map(({ name }) => name).join(", ")}; name one`);
  const state = open[0] ?? states[0];
  if (state !== undefined) return state;
  throw new Fault(
    "not_found",
    `there is no session yet; begin one with ${call.command("continuous", "goals.yaml", "--agent", "demo")}`,
  );
}
