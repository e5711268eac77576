import { tryOf } from "../../decide/continuous/digest-rule.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import { errorText } from "../../model/fault.ts";
import { commandText } from "../../model/text/command-text.ts";
import type { DeliveryOutcome } from "../../notify/notifier.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { readContinuous } from "./read-continuous.ts";

type Open = ContinuousState["digest"]["open"][number];

/** A try that this process has begun, or may begin at the next look. */
interface Sending {
  readonly session: string;
  readonly address: string;
  /** Of its lease; null while it is being taken. */
  epoch: number | null;
  /** Whether the channel has answered, or nothing was sent. */
  isAnswered: boolean;
  /** Whether nobody waits for its outcome any more. */
  isOver: boolean;
}

/**
 * Sends digests of sessions to their channels, beside the turns: a channel may take its time. The outcome of a try is
 * kept for the next turn, which records it.
 *
 * A try is made under a lease of its own, which is held until its outcome is recorded: where several hosts share the
 * store, one of them sends. The session is read again under the lease, so a try that another host has recorded is not
 * made again. If the process dies in between, the next one takes the lease and sends again, under the same id.
 */
export class DigestSender {
  /** By the try. */
  readonly tried = new Map<
    string,
    { readonly kind: "delivered" | "failed"; readonly text: string; readonly terminal: boolean }
  >();
  readonly #ports: Pick<Ports, "notifier" | "storeNamed" | "journal" | "world">;
  readonly #leases: Leases;
  readonly #sending = new Map<string, Sending>();

  constructor(ports: Pick<Ports, "notifier" | "storeNamed" | "journal" | "world">, leases: Leases) {
    this.#ports = ports;
    this.#leases = leases;
  }

  /** Begins what is due, and lets go of what is recorded. */
  async send(state: ContinuousState, now: number): Promise<void> {
    const { digest, name, end } = state;
    await this.#letGo(name, end === null ? new Set(digest.open.map(tryOf)) : new Set());
    for (const open of digest.open) {
      const key = tryOf(open);
      if (open.notBefore > now || this.#sending.has(key)) continue;
      const address = `digest:${name}:${open.channel}`;
      const sending = { session: name, address, epoch: null, isAnswered: false, isOver: false };
      this.#sending.set(key, sending);
      // The store was away: the next look tries again.
      void this.#try(state, open, sending).catch(() => this.#end(key, sending).catch(() => undefined));
    }
  }

  async #letGo(session: string, open: ReadonlySet<string>): Promise<void> {
    for (const [key, sending] of this.#sending) {
      if (sending.session !== session || open.has(key)) continue;
      sending.isOver = true;
      if (sending.isAnswered) await this.#end(key, sending);
    }
  }

  async #end(key: string, { address, epoch }: Sending): Promise<void> {
    this.#sending.delete(key);
    this.tried.delete(key);
    if (epoch !== null) await this.#leases.release(address, epoch);
  }

  async #try({ name, spec }: ContinuousState, open: Open, sending: Sending): Promise<void> {
    const key = tryOf(open);
    const channel = spec?.notify?.channels[open.channel];
    if (channel === undefined) return;
    const taken = await this.#leases.take(sending.address);
    if (taken.kind === "held") {
      this.#sending.delete(key);
      return;
    }
    sending.epoch = taken.epoch;
    const { digest } = await readContinuous(this.#ports.journal, name);
    if (digest.open.some((one) => tryOf(one) === key)) {
      const { world, notifier } = this.#ports;
      const notice = { ...open.notice, command: this.#named(open.notice.command), link: null };
      world.crashPoint("continuous.digest.before");
      const outcome = await notifier
        .deliver(notice, channel, spec?.cwd)
        .catch((error: unknown): DeliveryOutcome => ({
          kind: "failed",
          text: errorText(error),
          terminal: false,
        }));
      world.crashPoint("continuous.digest.after");
      const text = outcome.kind === "delivered" ? outcome.detail : outcome.text;
      const terminal = outcome.kind === "failed" && outcome.terminal;
      this.tried.set(key, { kind: outcome.kind, text, terminal });
    }
    sending.isAnswered = true;
    if (sending.isOver) await this.#end(key, sending);
  }

  /** Commands name the store where people must. */
  #named(command: string | null): string | null {
    const { storeNamed = null } = this.#ports;
    return command === null || storeNamed === null
      ? command
      : commandText(command.split(" ").slice(1), storeNamed);
  }
}
