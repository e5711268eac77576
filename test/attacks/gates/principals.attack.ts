import assert from "node:assert/strict";
import type { EventData, Recorded } from "../../../src/model/events/events.ts";
import { CliBench } from "../../cli/cli-process.ts";
import { tried, type Attack, type Outcome, type Tried } from "../attack.ts";
import {
  attackScript,
  CALLS,
  codeOf,
  GATE_FILES,
  gateAttacks,
  HIDDEN,
  untilAllEnded,
  type GateAttack,
} from "./gate-attackers.ts";

interface Played {
  readonly opened: readonly GateAttack[];
  readonly all: readonly GateAttack[];
  readonly approvals: readonly EventData<"GateApproved">[];
}

/** All are carried out at once by one agent; what is counted apart is looked at apart. */
let playing: Promise<Played> | undefined;

async function play(): Promise<Played> {
  const bench = new CliBench(GATE_FILES);
  const all = gateAttacks(bench);
  try {
    bench.write("ATTACK", attackScript(bench, all));
    for (const [flow, victim] of [
      ["plain.yaml", "open-victim"],
      ["closed.yaml", "closed-victim"],
    ] as const) {
      const { code, stdout, stderr } = await bench.call(["run", "--flow", flow, "--id", victim]);
      assert.equal(code, 3, stdout + stderr);
    }
    await bench.json(["run", "attack", "--agent", "bad", "--id", "attacker", "--detach"]);
    await untilAllEnded(all);
    const events: Recorded[] = await bench.eventsOf("open-victim");
    const approvals = events.flatMap((event) => (event.type === "GateApproved" ? [event.data] : []));
    await bench.call(["cancel", "attacker"]);
    return { all, approvals, opened: all.filter((one) => codeOf(one) === "0") };
  } finally {
    await bench.close();
  }
}

const isHidden = ({ victim, way }: GateAttack): boolean => victim === "open-victim" && HIDDEN.includes(way);

const count = async (look: (played: Played) => Tried): Promise<Outcome> => {
  if (process.platform !== "linux") return { kind: "skipped", reason: "processes are followed by /proc" };
  playing ??= play();
  return look(await playing);
};

const named = (attacks: readonly GateAttack[]): string[] =>
  attacks.map(({ victim, way }) => `${victim} was opened by a caller that is ${way}`);

// The same are in open-gates.e2e.ts in `npm test`, with forged rows, replays and crashes.
export const attacks: readonly Attack[] = [
  {
    ...{ threat: "principals", level: "no sandbox", promised: "prevented" },
    title:
      "an agent of another run approves, with its environment removed, from another session or as an orphan; and any way at a credentialed gate",
    count: { full: Object.keys(CALLS).length - HIDDEN.length + 2, short: 0 },
    run: () =>
      count(({ all, opened }) =>
        tried(all.filter((one) => !isHidden(one)).length, named(opened.filter((one) => !isHidden(one)))),
      ),
  },
  {
    ...{ threat: "principals", level: "no sandbox", promised: "detected" },
    title:
      "an agent that leaves its session, its parents and its environment approves at a gate without proof",
    count: { full: HIDDEN.length, short: 0 },
    run: () =>
      count(({ all, opened, approvals }) =>
        tried(
          all.filter(isHidden).length,
          named(opened.filter(isHidden)),
          approvals.filter(({ proof }) => proof === "none").length,
        ),
      ),
  },
];
