import type { Run } from "../../src/loop/workflow-function.ts";

/** Many wait for signals of the same name. */
export const SIGNALS = ["red", "blue"] as const;

export type Chance = () => number;
export const below = (chance: Chance, end: number): number => Math.floor(chance() * end);

type Plan =
  | { readonly kind: "step"; readonly fails: boolean }
  | { readonly kind: "once"; readonly doubt: "ask" | "retry" | "look" }
  | { readonly kind: "wait"; readonly name: string }
  | { readonly kind: "spend"; readonly tokens: number }
  | { readonly kind: "sleep" }
  | { readonly kind: "loop"; readonly times: number; readonly plans: readonly Plan[] }
  | {
      readonly kind: "group";
      readonly onFailure: "fail-fast" | "collect";
      readonly restarts: number;
      /** Of each member, where they have one of their own. */
      readonly tokens: number | null;
      readonly members: readonly (readonly Plan[])[];
    };

export const plansOf = (chance: Chance, depth: number): Plan[] =>
  Array.from({ length: 1 + below(chance, 4) }, () => planOf(chance, depth));

function planOf(chance: Chance, depth: number): Plan {
  const kind = below(chance, depth >= 2 ? 6 : 9);
  if (kind === 0) return { kind: "step", fails: depth > 0 && chance() < 0.2 };
  if (kind <= 2)
    return { kind: "once", doubt: (["ask", "ask", "retry", "look"] as const)[below(chance, 4)] ?? "ask" };
  if (kind === 3) return { kind: "wait", name: SIGNALS[below(chance, SIGNALS.length)] ?? "red" };
  if (kind === 4) return { kind: "spend", tokens: below(chance, 30) };
  if (kind === 5) return { kind: "sleep" };
  if (kind === 6) return { kind: "loop", times: 1 + below(chance, 3), plans: plansOf(chance, depth + 1) };
  const members = Array.from({ length: 2 + below(chance, 3) }, () => plansOf(chance, depth + 1));
  const onFailure = chance() < 0.5 ? "fail-fast" : "collect";
  const tokens = chance() < 0.3 ? 1 + below(chance, 30) : null;
  return { kind: "group", onFailure, restarts: below(chance, 2), tokens, members };
}

/** What really happened in the world outside: it outlives every process. */
export class Outside {
  readonly posted: string[] = [];
  /** Declared to be safe to do again. */
  readonly mayRepeat = new Set<string>();
}

export async function perform(run: Run, plans: readonly Plan[], outside: Outside): Promise<void> {
  for (const [n, plan] of plans.entries()) await performOne(run, plan, String(n), outside);
}

async function performOne(run: Run, plan: Plan, name: string, outside: Outside): Promise<void> {
  switch (plan.kind) {
    case "step":
      await run.step(name, () => {
        if (plan.fails) throw new Error("this step fails");
      });
      return;
    case "once":
      await run.step(name, ({ key }) => post(key, plan.doubt === "retry", outside), {
        effect: "once",
        inDoubt:
          plan.doubt === "look"
            ? (key) => (outside.posted.includes(key) ? { done: undefined } : "ask")
            : plan.doubt,
      });
      return;
    case "wait":
      // In a scope of its own: many wait for signals of one name.
      await run.spawn(name, (child) => child.waitFor(plan.name), null);
      return;
    case "spend":
      run.budget.spend({ tokens: plan.tokens });
      return;
    case "sleep":
      return run.sleep(5);
    case "loop":
      await run
        .loop(name, 0, async (state, i, it) => {
          await perform(it, plan.plans, outside);
          return { state: state + 1, done: i === plan.times - 1 };
        })
        .catch(failedAsPlanned);
      return;
    case "group":
      await run
        .spawnAll(
          plan.members.map((plans, n) => ({
            name: `${name}.${String(n)}`,
            child: (child: Run) => perform(child, plans, outside),
            input: null,
            restarts: plan.restarts,
            ...(plan.tokens === null ? {} : { budget: { tokens: plan.tokens } }),
          })),
          { onFailure: plan.onFailure },
        )
        .catch(failedAsPlanned);
  }
}

function post(key: string, mayRepeat: boolean, { posted, mayRepeat: safe }: Outside): void {
  posted.push(key);
  if (mayRepeat) safe.add(key);
}

function failedAsPlanned(error: unknown): void {
  if (!(error instanceof Error)) throw error;
  const isSpent = "code" in error && error.code === "budget_exhausted";
  if (!isSpent && error.message !== "this step fails") throw error;
}
