import { installPeers } from "../peers/install-peers.ts";
import { freshStore, removeStore, runChild, type Surroundings } from "../peers/peer-child.ts";
import * as engines from "../peers/peer-engines.ts";
import type { Engine } from "../peers/peer-engines.ts";
import { startRestate, type RestateServer } from "../peers/restate-server.ts";
import { postgresMissing, startPostgres } from "../../test/postgres-server.ts";
import type { Bench, BenchContext, Figure, Findings, Ratio, Target } from "../harness/bench.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { count } from "./growth.ts";

const { HOLDFAST, HOLDFAST_POSTGRES, FUNCTIONAL, FUNCTIONAL_FULL, GRAPH_FULL, RESTATE, DBOS } = engines;
const { GRAPH_DELTA_FULL } = engines;

export const peersBench: Bench = { name: "peers", title: "Beside other engines", run, onlyWhenAsked: true };

interface Plan {
  readonly rounds: number;
  /** For what is over soon, and so takes a hiccup of the disk for a trend. */
  readonly shortRounds: number;
  readonly steps: number;
  readonly runs: number;
  readonly stepsEach: number;
  readonly recorded: number;
  /** How many messages the growing list holds when it is looked at. */
  readonly sizes: readonly number[];
}

const planOf = (quick: boolean): Plan =>
  quick
    ? { rounds: 1, shortRounds: 1, steps: 50, runs: 5, stepsEach: 10, recorded: 50, sizes: [20, 50] }
    : {
        rounds: 5,
        shortRounds: 7,
        steps: 1_000,
        runs: 100,
        stepsEach: 100,
        recorded: 2_000,
        sizes: [100, 1_000, 5_000],
      };

async function run(context: BenchContext): Promise<Findings> {
  const { folder, quick, progress } = context;
  installPeers(progress);
  const postgres = postgresMissing() === null ? await startPostgres() : null;
  const restate = await startRestate(folder).catch((error: unknown) => String(error));
  const around = { folder, postgres, restate: typeof restate === "string" ? null : restate };
  try {
    return {
      ...(await measureAll(planOf(quick), around, progress)),
      ...missing(around.postgres === null ? postgresMissing() : null, restate),
      ...(postgres === null ? {} : { postgres: await versionOf(postgres) }),
    };
  } finally {
    await around.restate?.stop();
    await postgres?.remove();
  }
}

function missing(postgres: string | null, restate: string | RestateServer): { skipped?: string } {
  const reasons = [postgres, typeof restate === "string" ? restate : null].filter((one) => one !== null);
  return reasons.length === 0 ? {} : { skipped: reasons.join("; ") };
}

const versionOf = async (server: Awaited<ReturnType<typeof startPostgres>>): Promise<string> => {
  const [row] = await server.query("SELECT split_part(current_setting('server_version'), ' ', 1) AS version");
  return String(row?.["version"]);
};

type Part = Pick<Findings, "figures" | "ratios">;
type Measure = (engine: Engine) => Promise<number[]>;

async function measureAll(
  plan: Plan,
  around: Surroundings,
  progress: (text: string) => void,
): Promise<Pick<Findings, "says" | "figures" | "ratios">> {
  const present = engines.STEP_ENGINES.filter(({ needs }) => needs === undefined || around[needs] !== null);
  const parts: Part[] = [];
  for (const measure of [sequential, concurrent, killed])
    parts.push(await measure(plan, around, present, progress));
  parts.push(await growing(plan, around, progress));
  return {
    says: says(plan),
    figures: parts.flatMap(({ figures }) => figures),
    ratios: parts.flatMap(({ ratios }) => ratios),
  };
}

/** A round of kills takes longest and varies least. */
const killRounds = (rounds: number): number => Math.min(rounds, 3);

const says = ({ rounds, shortRounds, steps, runs, stepsEach, recorded }: Plan): string =>
  [
    "The same work done by several engines, each time by a process of its own with a store of its own, one engine after the other in every round.",
    "A step does nothing and gives 200 bytes; the next one begins when its result is recorded.",
    `One run of ${count(steps)} steps; ${count(runs)} runs of ${count(stepsEach)} steps at once;`,
    `a run killed in the middle of step ${count(recorded)}, and the time from starting a process again to the moment that step is done again (servers and databases stay up), with the number of steps done a second time;`,
    "and a list that grows by a message of a kilobyte per iteration: time and bytes of the store per iteration around a length.",
    'LangGraph records before it goes on (`durability: "sync"`) through its SQLite checkpointer; as published that one does not wait for the disk (synchronous=NORMAL), with FULL it does, as Holdfast always does.',
    "DBOS and Holdfast on PostgreSQL share one server with its default settings. Restate's server runs beside the process that serves its handler, with its default settings.",
    `${count(shortRounds)} rounds of the single run and of the growing list, ${count(rounds)} of the many runs, ${count(killRounds(rounds))} of the kills.`,
  ].join(" ");

/** `values[engine][round]`, each a list of numbers; one engine after the other, every other round backwards. */
async function rounds(present: readonly Engine[], times: number, measure: Measure): Promise<number[][][]> {
  const values: number[][][] = present.map(() => []);
  for (let round = 0; round < times; round += 1) {
    const order = [...present.keys()];
    for (const index of round % 2 === 0 ? order : order.reverse()) {
      const engine = present[index];
      if (engine !== undefined) values[index]?.push(await measure(engine));
    }
  }
  return values;
}

const column = (values: readonly (readonly number[])[] | undefined, index: number): number[] =>
  (values ?? []).map((row) => row[index] ?? NaN);

/** Holdfast's figure over another's, engine by engine, or the other way round where less is better. */
function against(
  what: string,
  present: readonly Engine[],
  values: readonly (readonly (readonly number[])[])[],
  targets: readonly { readonly ours: Engine; readonly other: Engine; readonly target?: Target }[],
): Ratio[] {
  return targets.flatMap(({ ours, other, target }) => {
    const [mine, theirs] = [values[present.indexOf(ours)], values[present.indexOf(other)]];
    if (mine === undefined || theirs === undefined) return [];
    return [
      {
        what: `${what}: ${ours.label} / ${other.label}`,
        spread: ratioOf(column(mine, 0), column(theirs, 0)),
        ...(target === undefined ? {} : { target }),
      },
    ];
  });
}

async function rates(
  name: string,
  { present, around, times }: { present: readonly Engine[]; around: Surroundings; times: number },
  work: { readonly measure: string; readonly steps: number; readonly settings: Record<string, unknown> },
): Promise<{ figures: Figure[]; values: number[][][] }> {
  const values = await rounds(present, times, async (engine) => {
    const settings = await freshStore(engine, around);
    const told = await runChild(engine, work.measure, { ...settings, ...work.settings });
    removeStore(settings);
    return [work.steps / (Number(told?.line["ms"]) / 1_000)];
  });
  const figures = present.map((engine, index): Figure => ({
    what: `${name}: ${engine.label}`,
    unit: "steps per second",
    spread: spreadOf(column(values[index], 0)),
  }));
  return { figures, values };
}

async function sequential(
  plan: Plan,
  around: Surroundings,
  present: readonly Engine[],
  progress: (text: string) => void,
): Promise<Part> {
  progress("one run, step after step");
  const name = `1 run of ${count(plan.steps)} steps`;
  const work = { measure: "sequential", steps: plan.steps, settings: { steps: plan.steps } };
  const { figures, values } = await rates(name, { present, around, times: plan.shortRounds }, work);
  return {
    figures,
    ratios: against(name, present, values, [
      { ours: HOLDFAST, other: FUNCTIONAL },
      { ours: HOLDFAST, other: FUNCTIONAL_FULL, target: { atLeast: 3 } },
      { ours: HOLDFAST, other: GRAPH_FULL },
      { ours: HOLDFAST, other: RESTATE, target: { atLeast: 4.5 } },
      { ours: HOLDFAST, other: DBOS, target: { atLeast: 7 } },
      { ours: HOLDFAST_POSTGRES, other: DBOS },
    ]),
  };
}

async function concurrent(
  plan: Plan,
  around: Surroundings,
  present: readonly Engine[],
  progress: (text: string) => void,
): Promise<Part> {
  progress("many runs at once");
  const { runs, stepsEach } = plan;
  const name = `${count(runs)} runs of ${count(stepsEach)} steps at once`;
  const work = { measure: "concurrent", steps: runs * stepsEach, settings: { runs, steps: stepsEach } };
  const { figures, values } = await rates(name, { present, around, times: plan.rounds }, work);
  return {
    figures,
    ratios: against(name, present, values, [
      { ours: HOLDFAST, other: FUNCTIONAL },
      { ours: HOLDFAST, other: FUNCTIONAL_FULL, target: { atLeast: 12 } },
      { ours: HOLDFAST, other: GRAPH_FULL },
      { ours: HOLDFAST, other: RESTATE, target: { atLeast: 6 } },
      { ours: HOLDFAST, other: DBOS },
      { ours: HOLDFAST_POSTGRES, other: DBOS },
    ]),
  };
}

async function killed(
  plan: Plan,
  around: Surroundings,
  present: readonly Engine[],
  progress: (text: string) => void,
): Promise<Part> {
  progress("killed and started again");
  const killAt = plan.recorded;
  const measured = await rounds(present, killRounds(plan.rounds), async (engine) => {
    const store = await freshStore(engine, around);
    const settings = { ...store, steps: killAt + 10, killAt, doneFile: `${String(store["folder"])}/done` };
    await runChild(engine, "killed", { ...settings, life: 1 });
    const told = await runChild(engine, "killed", { ...settings, life: 2, register: false });
    removeStore(store);
    if (told === null) throw new Error(`${engine.label} did not go on after it was killed`);
    return [told.firstLineMs, (told.line["again"] as number[]).length];
  });
  const name = `killed at ${count(killAt)} steps`;
  const fastest = present
    .filter((engine) => engine !== HOLDFAST && engine !== HOLDFAST_POSTGRES)
    .map((engine) => ({ engine, ms: spreadOf(column(measured[present.indexOf(engine)], 0)).median }))
    .sort((a, b) => a.ms - b.ms)[0]?.engine;
  return {
    figures: present.flatMap((engine, index): Figure[] => [
      {
        what: `${name} → first new step: ${engine.label}`,
        unit: "ms",
        spread: spreadOf(column(measured[index], 0)),
      },
      {
        what: `${name}: done again: ${engine.label}`,
        unit: "steps",
        spread: spreadOf(column(measured[index], 1)),
      },
    ]),
    ratios:
      fastest === undefined
        ? []
        : against(`${name} → first new step, beside the fastest of the others`, present, measured, [
            { ours: HOLDFAST, other: fastest, target: { atMost: 0.6 } },
          ]),
  };
}

const WINDOW_MAX = 100;
const GROWING = [HOLDFAST, GRAPH_FULL, GRAPH_DELTA_FULL] as const;

async function growing(plan: Plan, around: Surroundings, progress: (text: string) => void): Promise<Part> {
  progress("a growing list");
  const measured = await rounds(GROWING, plan.shortRounds, async (engine) => {
    // A list that is written whole each time would take hours to grow: it is begun at the length that is looked at.
    const windows =
      engine === GRAPH_FULL
        ? await seededWindows(plan.sizes, around)
        : await grownWindows(engine, plan.sizes, around);
    return windows.flatMap(({ ms, bytes }) => [ms, bytes]);
  });
  const figures = plan.sizes.flatMap((size, at) =>
    GROWING.flatMap((engine, index): Figure[] => [
      {
        what: `list of ${count(size)} messages, an iteration: ${engine.label}`,
        unit: "ms",
        spread: spreadOf(column(measured[index], 2 * at)),
      },
      {
        what: `list of ${count(size)} messages, stored per iteration: ${engine.label}`,
        unit: "bytes",
        spread: spreadOf(column(measured[index], 2 * at + 1)),
      },
    ]),
  );
  return {
    figures,
    ratios: plan.sizes.flatMap((size, at) => growthRatios(measured, size, at, plan.sizes.at(-1) === size)),
  };
}

function growthRatios(measured: readonly number[][][], size: number, at: number, judged: boolean): Ratio[] {
  const [ours, , delta] = measured;
  const name = `list of ${count(size)} messages: ${HOLDFAST.label} / ${GRAPH_DELTA_FULL.label}`;
  return [
    {
      what: `${name}, time`,
      spread: ratioOf(column(ours, 2 * at), column(delta, 2 * at)),
      ...(judged ? { target: { atMost: 0.2 } } : {}),
    },
    {
      what: `${name}, bytes`,
      spread: ratioOf(column(ours, 2 * at + 1), column(delta, 2 * at + 1)),
      ...(judged ? { target: { atMost: 1 } } : {}),
    },
  ];
}

interface Window {
  readonly ms: number;
  readonly bytes: number;
}

async function grownWindows(
  engine: Engine,
  sizes: readonly number[],
  around: Surroundings,
): Promise<Window[]> {
  const settings = await freshStore(engine, around);
  const windows = sizes.map((size) => ({ size, from: size - Math.min(WINDOW_MAX, size / 2), to: size }));
  const told = await runChild(engine, "grow", { ...settings, iterations: Math.max(...sizes), windows });
  removeStore(settings);
  return told?.line["windows"] as Window[];
}

async function seededWindows(sizes: readonly number[], around: Surroundings): Promise<Window[]> {
  const all: Window[] = [];
  for (const size of sizes) {
    const settings = await freshStore(GRAPH_FULL, around);
    const windows = [{ size, from: 5, to: 15 }];
    const told = await runChild(GRAPH_FULL, "grow", { ...settings, seed: size, iterations: 15, windows });
    removeStore(settings);
    all.push(...(told?.line["windows"] as Window[]));
  }
  return all;
}
