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

/** Reads milliseconds. */
export type Clock = () => number;
const realClock: Clock = () => performance.now();

/**
 * Rates per second, `rates[side][round]`. The sides take short turns, every other time in the opposite order, so that
 * a busy neighbour slows all of them and none always follows the same one. One round before the first does not count.
 */
export async function ratesOf(
  sides: readonly Side[],
  plan: RoundPlan,
  clock: Clock = realClock,
): Promise<number[][]> {
  const rates: number[][] = sides.map(() => []);
  const endMs = clock() + plan.budgetMs;
  await spentInRound(sides, plan, clock);
  for (let round = 0; round < plan.rounds; round += 1) {
    if (round >= ROUNDS_MIN && clock() >= endMs) break;
    const spentMs = await spentInRound(sides, plan, clock);
    for (const [index, side] of sides.entries()) {
      const operations = plan.turns * plan.perTurn * (side.each ?? 1);
      rates[index]?.push(operations / ((spentMs[index] ?? NaN) / 1_000));
    }
  }
  return rates;
}

async function spentInRound(sides: readonly Side[], plan: RoundPlan, clock: Clock): Promise<number[]> {
  const spentMs = sides.map(() => 0);
  for (let turn = 0; turn < plan.turns; turn += 1) {
    const order = [...sides.keys()];
    for (const index of turn % 2 === 0 ? order : order.reverse()) {
      const began = clock();
      await sides[index]?.more(plan.perTurn);
      spentMs[index] = (spentMs[index] ?? 0) + clock() - began;
    }
  }
  return spentMs;
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
