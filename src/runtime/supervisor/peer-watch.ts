import {
  decidePeer,
  newPeerMemory,
  type PeerLimits,
  type PeerSight,
  restartsOf,
} from "../../decide/resources/decide-peer.ts";
import type { Owner } from "../../journal/journal.ts";
import type { Restarts } from "../../model/host/supervision.ts";
import { elapsedMs, type ProcessIdentity } from "../../model/world.ts";
import type { Ports } from "../ports.ts";
import { watchdogAddress } from "./lost-hosts.ts";

/** What one process can do about the other. */
export interface PeerHands {
  /** Sends a signal to exactly this process: one that asks, or one that cannot be refused. */
  end(of: ProcessIdentity, how: "asked" | "firmly"): void;
  /** Starts another one. Should it not be needed, it finds the lease held and ends. */
  start(): void;
}

interface PeerOptions {
  /** The lease that the other one works under. */
  readonly address: string;
  readonly hands: PeerHands;
  readonly patience: Pick<PeerLimits, "goneMs" | "releasedMs">;
  /** Where it is written down how often the other one had to be started in a row. */
  readonly restarts?: { read(): Restarts | null; write(restarts: Restarts | null): void } | undefined;
  /** Called with what is done about it, for a log. */
  readonly say: (text: string) => void;
}

/** A sign that a process is gone is looked for so often; its progress, at the configured pace. */
const PROBE_MS = 1_000;

type Watched = Pick<Ports, "journal" | "world" | "settings">;

/**
 * One half of two processes that watch each other: looks at the other's lease, and ends and starts it.
 *
 * Nothing is asked of the other process, since one that is stuck could not answer: its beats stand in the store and
 * come from its loop. What is remembered here is lost with this process; a new watch then starts counting again.
 */
export class PeerWatch {
  readonly #ports: Watched;
  readonly #options: PeerOptions;
  readonly #limits: PeerLimits;
  #memory;
  #owner: Owner | null = null;
  #nextLook = -Infinity;
  #written = "null";
  #hasSeen = false;
  #closed = false;

  constructor(ports: Watched, options: PeerOptions) {
    this.#ports = ports;
    this.#options = options;
    const { lookMs, silentMs, graceMs } = ports.settings.watchdog;
    this.#limits = { lookMs, silentMs, graceMs, ...options.patience };
    const before = options.restarts?.read() ?? null;
    this.#memory = newPeerMemory(elapsedMs(ports.world), before?.inARow);
  }

  /** How long to wait before the next look is worth it. */
  get pauseMs(): number {
    return Math.min(PROBE_MS, this.#limits.lookMs);
  }

  /** Who held the lease at the last look. */
  get owner(): Owner | null {
    return this.#owner;
  }

  get isEnding(): boolean {
    return this.#memory.endingSince !== null;
  }

  /** Whether somebody was ever seen to hold the lease. */
  get hasSeen(): boolean {
    return this.#hasSeen;
  }

  /** Looks if it is time to, and does what follows; `mayStart` false: ends what is stuck, and starts nothing. */
  async look(mayStart = true): Promise<PeerSight["process"]> {
    const { world } = this.#ports;
    const known = this.#process();
    if (known === "alive" && elapsedMs(world) < this.#nextLook) return known;
    const sight = await this.#see();
    const now = elapsedMs(world);
    this.#nextLook = now + (this.isEnding ? 0 : this.#limits.lookMs);
    const { memory, act } = decidePeer(this.#memory, sight, this.#limits, now);
    if (this.#closed || (act === "start" && !mayStart)) return sight.process;
    this.#memory = memory;
    this.#writeRestarts(now);
    if (act !== "nothing") this.#act(act);
    return sight.process;
  }

  /** Before it is acted upon: a watcher that dies in between leaves the wait to the next. */
  #writeRestarts(now: number): void {
    const restarts = restartsOf(this.#memory, this.#limits, now);
    const text = JSON.stringify(restarts);
    if (text === this.#written) return;
    this.#written = text;
    // For people, and for watchers to come: by the wall clock.
    const byWall = (at: number): number => this.#ports.world.now() + Math.round(at - now);
    const nextAt = restarts === null || restarts.nextAt === null ? null : byWall(restarts.nextAt);
    this.#options.restarts?.write(restarts === null ? null : { ...restarts, nextAt });
  }

  /** A look that is under way is not acted upon any more. */
  close(): void {
    this.#closed = true;
  }

  #process(): PeerSight["process"] {
    return this.#owner === null ? "none" : this.#ports.world.liveness(this.#owner.process);
  }

  async #see(): Promise<PeerSight> {
    const lease = await this.#ports.journal.lease(this.#options.address);
    this.#owner = lease?.owner ?? null;
    if (this.#owner !== null) this.#hasSeen = true;
    return { owner: this.#owner?.id ?? null, beats: lease?.beats ?? 0, process: this.#process() };
  }

  #act(act: "end" | "end_firmly" | "start"): void {
    const { hands, say, address } = this.#options;
    const who = `${address.split(":", 1)[0] ?? address} (pid ${String(this.#owner?.process.pid ?? "none")})`;
    if (act === "start") {
      say(`the ${who} is gone; another one is started`);
      this.#ports.world.crashPoint("watchdog.start.before");
      hands.start();
      return;
    }
    if (this.#owner === null) return;
    this.#nextLook = -Infinity;
    const silent = `gave no sign of progress for ${String(Math.round(this.#memory.silentMs / 1_000))} s`;
    say(act === "end" ? `the ${who} ${silent}; it is asked to end` : `the ${who} did not end; it is killed`);
    this.#ports.world.crashPoint("watchdog.end.before");
    hands.end(this.#owner.process, act === "end" ? "asked" : "firmly");
  }
}

export type SiblingOptions = Pick<PeerOptions, "hands" | "say">;

/** Keeps the sibling that watches this supervisor alive, until the returned function is called. */
export function keepWatchdog(
  ports: Pick<Ports, "journal" | "world" | "settings">,
  { hands, say }: SiblingOptions,
): () => void {
  const address = watchdogAddress(ports.world.self);
  const watch = new PeerWatch(ports, { address, hands, say, patience: { goneMs: 0, releasedMs: 0 } });
  let over = false;
  let cancel = (): void => undefined;
  // A look that fails is left to the supervisor, whose own next look fails in the same way and ends it.
  const again = (): void => {
    if (!over) cancel = ports.world.timer(watch.pauseMs, next);
  };
  const next = (): void => void watch.look().then(again, again);
  next();
  return () => {
    over = true;
    watch.close();
    cancel();
  };
}
