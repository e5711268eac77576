import type { Barrier, MissionFile, Workstream } from "./mission-spec.ts";

type Plan = Pick<MissionFile, "workstreams" | "barriers" | "order"> & {
  readonly repositories: Readonly<Record<string, unknown>>;
};

/** What would keep a mission from ever coming to its end, in words; nothing where all is well. */
export function missionProblems(plan: Plan): string[] {
  const known = new Set(plan.workstreams.map(({ id }) => id));
  const problems = [
    ...nameProblems(plan),
    ...plan.workstreams.flatMap((one) => workstreamProblems(plan, one, known)),
    ...Object.entries(plan.barriers).flatMap(([name, barrier]) =>
      barrierProblems(plan, { name, barrier }, known),
    ),
  ];
  if (problems.length > 0) return problems;
  const sorted = needsOrder(plan);
  if (sorted === null) return ["the needs of the workstreams form a circle"];
  return orderProblems(plan, sorted);
}

function nameProblems({ workstreams, barriers }: Plan): string[] {
  const seen = new Set<string>();
  return workstreams.flatMap(({ id }) => {
    const problem = seen.has(id)
      ? [`two workstreams are called "${id}"`]
      : Object.hasOwn(barriers, id)
        ? [`"${id}" is a workstream and a barrier`]
        : [];
    seen.add(id);
    return problem;
  });
}

function workstreamProblems(
  { repositories, barriers }: Plan,
  { id, repository, needs }: Workstream,
  known: ReadonlySet<string>,
): string[] {
  const unknown = needs.filter((need) => !known.has(need) && !Object.hasOwn(barriers, need));
  return [
    ...(Object.hasOwn(repositories, repository)
      ? []
      : [
          `the workstream "${id}" names the repository "${repository}"; expected one of ${Object.keys(repositories).join(", ")}`,
        ]),
    ...unknown.map((need) => `the workstream "${id}" needs "${need}", which is no workstream and no barrier`),
  ];
}

function barrierProblems(
  { workstreams }: Plan,
  { name, barrier }: { readonly name: string; readonly barrier: Barrier },
  known: ReadonlySet<string>,
): string[] {
  const unknown = [...barrier.of, ...barrier.if.map(({ workstream }) => workstream)].filter(
    (one) => !known.has(one),
  );
  const beside = Array.isArray(barrier.when) ? barrier.when.filter((one) => !barrier.of.includes(one)) : [];
  const undeclared = barrier.if.filter(({ workstream, artifact }) =>
    workstreams.some(({ id, artifacts }) => id === workstream && !artifacts.includes(artifact)),
  );
  return [
    ...unknown.map((one) => `the barrier "${name}" is of "${one}", which is no workstream`),
    ...beside.map((one) => `the barrier "${name}" waits for "${one}", which is not in its \`of\``),
    ...undeclared.map(
      ({ workstream, artifact }) =>
        `the barrier "${name}" looks at ${artifact}, which is no artifact of "${workstream}"`,
    ),
  ];
}

/** Workstreams that come before one directly: those it needs, and all those of the barriers it needs. */
export const directNeeds = (
  { barriers }: Pick<Plan, "barriers">,
  { needs }: Pick<Workstream, "needs">,
): string[] => [
  ...new Set(
    needs.flatMap((need) => {
      const barrier = Object.hasOwn(barriers, need) ? barriers[need] : undefined;
      return barrier === undefined
        ? [need]
        : [...barrier.of, ...barrier.if.map(({ workstream }) => workstream)];
    }),
  ),
];

/** All workstreams, each after those it needs, else as in the file; null where they form a circle. */
export function needsOrder(plan: Pick<Plan, "workstreams" | "barriers">): string[] | null {
  const left = [...plan.workstreams];
  const done: string[] = [];
  while (left.length > 0) {
    const at = left.findIndex((one) => directNeeds(plan, one).every((need) => done.includes(need)));
    const [next] = at === -1 ? [] : left.splice(at, 1);
    if (next === undefined) return null;
    done.push(next.id);
  }
  return done;
}

function orderProblems(plan: Plan, sorted: readonly string[]): string[] {
  const { order, workstreams } = plan;
  if (order === undefined) return [];
  if ([...order].sort().join() !== [...sorted].sort().join())
    return [`\`order\` is ${order.join(", ")}; expected every workstream once: ${sorted.join(", ")}`];
  return workstreams.flatMap((one) =>
    directNeeds(plan, one)
      .filter((need) => order.indexOf(need) > order.indexOf(one.id))
      .map((need) => `\`order\` has "${one.id}" before "${need}", which it needs`),
  );
}
