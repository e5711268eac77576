/** One of several alternatives that are measured side by side. */
export interface Side {
  /** Does so many more, each finished before the next unless that is what the side is about. */
  more(times: number): void | Promise<void>;
  /** How many operations one of those times stands for; 1 unless said. */
  readonly each?: number;
  close(): void | Promise<void>;
}

export interface RoundPlan {
  readonly rounds: number;
  /** How often each side has its turn in a round. */
  readonly turns: number;
  readonly perTurn: number;
  /** No further round begins after this long, once there are `ROUNDS_MIN`: a busy machine must not take for ever. */
  readonly budgetMs: number;
}

const ROUNDS_MIN = 3;

/** Operations per second of one side, round by round. */
export interface Rates {
  /** Over all turns of the round. */
  readonly whole: readonly number[];
  /** In the side's quickest turn: what it would reach if neighbours left the machine to it. */
  readonly best: readonly number[];
}

export const NO_RATES: Rates = { whole: [], best: [] };

/** Reads milliseconds. */
export type Clock = () => number;
const realClock: Clock = () => performance.now();

/** What this process computed, in the kernel too, and not how long it waited. */
export const computedMs: Clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/**
 * Rates of each side. The sides take short turns, every other time in the opposite order, so that
 * a busy neighbour slows all of them and none always follows the same one. One round before the first does not count.
 */
export async function ratesOf(
  sides: readonly Side[],
  plan: RoundPlan,
  clock: Clock = realClock,
): Promise<Rates[]> {
  const rates = sides.map((side) => ({ side, whole: [] as number[], best: [] as number[] }));
  const endMs = clock() + plan.budgetMs;
  await turnsOfRound(sides, plan, clock);
  for (let round = 0; round < plan.rounds; round += 1) {
    if (round >= ROUNDS_MIN && clock() >= endMs) break;
    const turnsMs = await turnsOfRound(sides, plan, clock);
    for (const [index, { side, whole, best }] of rates.entries()) {
      const spentMs = turnsMs[index] ?? [];
      const perTurn = plan.perTurn * (side.each ?? 1);
      whole.push((perTurn * spentMs.length) / (sum(spentMs) / 1_000));
      best.push(perTurn / (Math.min(...spentMs) / 1_000));
    }
  }
  return rates.map(({ whole, best }) => ({ whole, best }));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** How long each turn of each side took. */
async function turnsOfRound(sides: readonly Side[], plan: RoundPlan, clock: Clock): Promise<number[][]> {
  const turnsMs: number[][] = sides.map(() => []);
  for (let turn = 0; turn < plan.turns; turn += 1) {
    const order = [...sides.keys()];
    for (const index of turn % 2 === 0 ? order : order.reverse()) {
      const began = clock();
      await sides[index]?.more(plan.perTurn);
      turnsMs[index]?.push(clock() - began);
    }
  }
  return turnsMs;
}

/** Values that each alternative tells of itself, `values[alternative][round]`; again in turns. */
export async function inTurns<T>(
  alternatives: readonly (() => Promise<T>)[],
  rounds: number,
): Promise<T[][]> {
  const values: T[][] = alternatives.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, measure] of alternatives.entries()) values[index]?.push(await measure());
  return values;
}
