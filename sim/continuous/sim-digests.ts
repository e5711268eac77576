import type { Journal } from "../../src/journal/journal.ts";
import { continuousAddress } from "../../src/model/continuous/continuous-spec.ts";
import type { Notifier } from "../../src/notify/notifier.ts";
import { seededChance } from "../world/seeded-chance.ts";
import type { Shared } from "./mortal-world.ts";

const FAILS_CHANCE = 0.3;
const NEXT_DAY_CHANCE = 0.03;
const DAY_MS = 86_400_000;
const EVENTS_MAX = 100_000;

/** A digest that its channel has taken, and how many processes had died by then. */
interface Taken {
  readonly id: string;
  readonly deaths: number;
}

/**
 * Days that pass and the channel that takes their digests, and how many processes look at the store: all by a chance of
 * their own, so that what else is drawn for a seed stays as it was.
 */
export class SimDigests {
  readonly taken: Taken[] = [];
  readonly hosts: number;
  /** What a session is begun with. */
  readonly settings: object;
  readonly notifier: Notifier;
  readonly #chance: () => number;
  readonly #shared: Shared;

  constructor(seed: number, shared: Shared) {
    this.#shared = shared;
    this.#chance = seededChance(seed * 2 + 1_000_003);
    this.hosts = this.#chance() < 0.3 ? 2 : 1;
    const channel = { use: "command", command: ["true"], limitMs: 1_000 };
    this.settings =
      this.#chance() < 0.5
        ? { notify: { channels: { desk: channel }, tries: 4, retryMs: 1_000, retryCapMs: 1_000 } }
        : {};
    this.notifier = {
      deliver: ({ id }) => {
        if (this.#chance() < FAILS_CHANCE)
          return Promise.resolve({ kind: "failed", text: "nobody is there", terminal: false });
        this.taken.push({ id, deaths: shared.deaths });
        return Promise.resolve({ kind: "delivered", detail: "taken" });
      },
    };
  }

  /** Now and then a day is over. */
  pass(): void {
    if ("notify" in this.settings && this.#chance() < NEXT_DAY_CHANCE) this.#shared.now += DAY_MS;
  }

  /** A digest is sent again only by the process that comes after one that died, and its outcome is recorded once. */
  async violations(journal: Journal, name: string): Promise<string[]> {
    const events = await journal.read(continuousAddress(name), { after: 0, limit: EVENTS_MAX });
    const queued = events.flatMap(({ type, data }) => (type === "DigestQueued" ? [data.notice.id] : []));
    const recorded = events.flatMap(({ type, data }) =>
      type === "DigestTried" && data.delivered ? [data.id] : [],
    );
    const deaths = new Map<string, number>();
    const found = twice(queued).map((id) => `${id} is queued twice`);
    found.push(...twice(recorded).map((id) => `${id} is recorded twice`));
    for (const taken of this.taken) {
      if (!queued.includes(taken.id)) found.push(`${taken.id} is sent before it is recorded`);
      if (deaths.get(taken.id) === taken.deaths)
        found.push(`${taken.id} is sent twice, and no process has died`);
      deaths.set(taken.id, taken.deaths);
    }
    for (const id of recorded) if (!deaths.has(id)) found.push(`${id} is recorded as sent, and is not`);
    return found;
  }
}

const twice = (ids: readonly string[]): string[] => ids.filter((id, at) => ids.indexOf(id) !== at);
