import type { AgentDriver, SendOutcome } from "../agents/agent-driver.ts";
import { shellWord } from "../model/text/command-text.ts";
import { isMove, type Effect } from "../model/effects/effects.ts";
import type { EffectOutcome } from "../model/effects/effect-outcome.ts";
import { errorText } from "../model/fault.ts";
import { noticeLink } from "../model/settings/notice.ts";
import type { RunState } from "../model/state/run-state.ts";
import { fullDiskText } from "../model/host/host-fault.ts";
import { distrusted, mendTrees, type Needs, withRemade } from "./work/mend-trees.ts";
import { collectOutputs, handArtifacts } from "./work/hand-artifacts.ts";
import { LEFT_TO_NEXT, performReview, refuseReview, usedByReviewer } from "./work/ask-review.ts";
import { performTriage } from "./work/ask-triage.ts";
import { dropCleanCopy } from "./work/clean-copy.ts";
import { endSession } from "./work/read-answer.ts";
import { runCommand } from "./work/run-command.ts";
import type { SharedResources } from "./shared-resources.ts";
import { releaseSnapshots, restoreSnapshot, takeSnapshot } from "./work/keep-files.ts";
import { compareWork, performOpening, sealFor, withSealOpened } from "./work/seal-work.ts";
import { lookAtHead } from "./work/look-at-head.ts";
import { moveFiles } from "./work/move-files.ts";
import { ownTrees } from "../decide/own-trees.ts";
import { runHook } from "./work/run-hook.ts";
import { untilHostServes, type HostFaultMet } from "./supervisor/host-fault-retry.ts";
import type { Ports } from "./ports.ts";
import { performInPlace } from "./work/work-folder.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

/** What an effect is performed under: its key, the run it belongs to, and when to stop. */
interface Under {
  readonly run: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Who is informed what becomes of effects. */
export interface EffectReport {
  settled(key: string, outcome: EffectOutcome): void;
  /** The host keeps it from being done; it is tried again. */
  delayed(key: string, fault: HostFaultMet): void;
  /** Asked right before an effect is performed; an outcome stands in its place. Absent: nobody else can own the run. */
  unlessOurs?(effect: Effect): Promise<EffectOutcome | null>;
}

interface UnderWay {
  readonly abort: AbortController;
  done: boolean;
}

/** What has come to its end needs no stopping, which is most of what is ever performed: an abort is not cheap. */
const stop = ({ abort, done }: UnderWay, why?: typeof LEFT_TO_NEXT): void => {
  if (!done) abort.abort(why);
};

/** What effects of the run need to know of it. */
export const needsOf = (state: RunState): Needs => ({ source: state.binding.source, trees: ownTrees(state) });

/**
 * Performs what the journal intends. It is given the whole set of open intents after every append, starts those not
 * yet under way and stops those that are intended no more (I3): calling it again, in this process or the next,
 * changes nothing (I2).
 */
export class EffectRunner {
  readonly #ports: Ports;
  readonly #resources: SharedResources;
  readonly #report: EffectReport;
  readonly #underWay = new Map<string, UnderWay>();
  #needs: Needs = { source: null, trees: [] };
  #closed = false;

  constructor(ports: Ports, resources: SharedResources, report: EffectReport) {
    this.#ports = ports;
    this.#resources = resources;
    this.#report = report;
  }

  reconcile(run: string, intended: Readonly<Record<string, Effect>>, needs: Needs): void {
    this.#needs = needs;
    for (const [key, one] of this.#underWay) {
      if (Object.hasOwn(intended, key)) continue;
      stop(one);
      this.#underWay.delete(key);
    }
    for (const key in intended) {
      const effect = intended[key];
      if (effect === undefined || this.#underWay.has(key)) continue;
      const one: UnderWay = { abort: new AbortController(), done: false };
      this.#underWay.set(key, one);
      void this.#perform(effect, { run, key, signal: one.abort.signal }).then((outcome) => {
        one.done = true;
        if (!this.#closed && this.#underWay.get(key) === one) this.#report.settled(key, outcome);
      });
    }
  }

  /** Outcomes that come in later are not reported: the next owner finds the intents open and performs them again. */
  close(): void {
    this.#closed = true;
    for (const one of this.#underWay.values()) stop(one, LEFT_TO_NEXT);
  }

  #perform(effect: Effect, under: Under): Promise<EffectOutcome> {
    const { world } = this.#ports;
    const { key, signal } = under;
    const met = (fault: HostFaultMet): void => {
      if (!this.#closed) this.#report.delayed(key, fault);
    };
    return untilHostServes(effect, () => this.#performOnce(effect, under), { world, signal, met });
  }

  async #performOnce(effect: Effect, under: Under): Promise<EffectOutcome> {
    try {
      this.#ports.world.crashPoint(`effect.${effect.kind}.before`);
      const remade = await mendTrees(this.#ports, effect, this.#needs.trees);
      const refused = distrusted(this.#ports, this.#needs.source, effect);
      const outcome = await (refused === null
        ? ((await this.#report.unlessOurs?.(effect)) ?? this.#performKind(effect, under))
        : refuse(this.#ports, effect, { ...under, refused }));
      this.#ports.world.crashPoint(`effect.${effect.kind}.after`);
      return withRemade(outcome, remade);
    } catch (error) {
      return { kind: "failed", terminal: false, text: errorText(error) };
    }
  }

  #performKind(effect: Effect, under: Under): Promise<EffectOutcome> {
    if (isMove(effect)) return moveFiles(this.#ports, effect, under);
    switch (effect.kind) {
      case "StartAgent":
        return this.#withDriver(effect, (driver) => this.#start(driver, effect, under.run));
      case "EndAgent":
        return this.#withDriver(effect, (driver) => this.#end(driver, effect, under.run));
      case "TellAgent":
      case "AnswerPermission":
        return this.#send(effect, under);
      case "RunCheck":
        return this.#check(effect, under);
      case "AskReview":
        return performReview(this.#ports, effect, under);
      case "RunAtGate":
        return this.#atGate(effect, under);
      case "CollectOutputs":
        return collectOutputs(this.#ports.artifacts, effect);
      case "OpenSeal":
        return performOpening(this.#ports, effect);
      case "GuardFiles":
        return this.#guard(effect);
      case "TakeCheckpoint":
        return takeSnapshot(this.#ports.workspace, effect, under);
      case "LookAtHead":
        return lookAtHead(this.#ports.workspace, effect);
      case "LookAtBindings":
        return this.#lookAtBindings(effect);
      case "CompareWork":
        return compareWork(this.#ports.workspace, effect, under.run);
      case "ReleaseCheckpoints":
        return releaseSnapshots(this.#ports.workspace, effect, under);
      case "RestoreCheckpoint":
        return restoreSnapshot(this.#ports.workspace, effect, under);
      case "CreateWorktree":
      case "HoldTree":
      case "FreeTree":
      case "RunInTree":
      case "CarryFiles":
      case "RemoveWorktree":
      case "CommitWork":
      case "AcceptWork":
      case "JoinWork":
      case "CopyTree":
      case "KeepProposal":
      case "ApplyProposal":
      case "DropCopy":
        return performInPlace(this.#ports, effect, under);
      case "TellGround":
        return this.#publishToResource(effect, under);
      case "AskTriage":
        return performTriage(this.#ports, effect, under);
      case "RunHook":
        return runHook(this.#ports, effect, under);
      case "Notify":
        return this.#notify(effect);
    }
  }

  /** Where nobody can read them nothing is known, and nothing has drifted. */
  async #lookAtBindings({ source }: EffectOf<"LookAtBindings">): Promise<EffectOutcome> {
    const bindings = await this.#ports.bindings?.(source);
    return bindings === undefined ? { kind: "done" } : { kind: "done", bindings };
  }

  async #withDriver(
    { spec }: EffectOf<"StartAgent" | "EndAgent" | "TellAgent" | "AnswerPermission">,
    work: (driver: AgentDriver) => Promise<EffectOutcome>,
  ): Promise<EffectOutcome> {
    const driver = this.#ports.drivers.get(spec.use);
    return driver === undefined
      ? { kind: "failed", terminal: true, text: `no driver for "${spec.use}" is available here` }
      : work(driver);
  }

  #send(effect: EffectOf<"TellAgent" | "AnswerPermission">, { key }: Under): Promise<EffectOutcome> {
    return this.#withDriver(effect, async (driver) =>
      effect.kind === "TellAgent"
        ? said(await driver.send(effect, { key, text: effect.text }))
        : said(await driver.answer(effect, { ...effect, key })),
    );
  }

  /** An agent that is started on a full disk dies of it. */
  async #start(driver: AgentDriver, effect: EffectOf<"StartAgent">, run: string): Promise<EffectOutcome> {
    const [full] = this.#ports.fullDisks?.([effect.cwd]) ?? [];
    if (full !== undefined) return { kind: "failed", terminal: false, text: `ENOSPC: ${fullDiskText(full)}` };
    const given = await handArtifacts(this.#ports.artifacts, effect, run);
    if ("kind" in given && given.kind === "failed") return given;
    return start(driver, given, { run, env: await sealFor(this.#ports, effect) });
  }

  async #end(driver: AgentDriver, effect: EffectOf<"EndAgent">, run: string): Promise<EffectOutcome> {
    const { review } = effect;
    const outcome =
      review === undefined
        ? await driver.end(effect, effect.graceMs)
        : await endSession(this.#ports, driver, effect);
    if (outcome.kind === "failed") return { kind: "failed", text: outcome.text, terminal: false };
    if (review === undefined) return { kind: "done" };
    const used = await usedByReviewer(this.#ports, driver, effect);
    await dropCleanCopy(this.#ports, { run, key: review });
    return withSealOpened(this.#ports, effect.sealed?.seal, { kind: "done", used });
  }

  #check(effect: EffectOf<"RunCheck">, under: Under): Promise<EffectOutcome> {
    const { attempt, step } = effect;
    const env = { HOLDFAST_RUN: under.run, HOLDFAST_STEP: step, HOLDFAST_ATTEMPT: attempt, ...effect.env };
    return runCommand(this.#ports, { ...effect, env }, under);
  }

  #atGate(effect: EffectOf<"RunAtGate">, under: Under): Promise<EffectOutcome> {
    const { run, key } = under;
    const env = {
      HOLDFAST_RUN: run,
      HOLDFAST_GATE: effect.gate,
      HOLDFAST_KEY: `${run}/${key}`,
      ...effect.env,
    };
    return runCommand(this.#ports, { ...effect, env }, under);
  }

  async #guard(effect: EffectOf<"GuardFiles">): Promise<EffectOutcome> {
    return { kind: "done", guard: await this.#ports.guard.check(effect) };
  }

  async #publishToResource(effect: EffectOf<"TellGround">, { signal }: Under): Promise<EffectOutcome> {
    return { kind: "done", news: await this.#resources.publish(effect.ground, effect, signal) };
  }

  /**
   * A receiver is given a command that works where the store is not the default one, and a link to where it is shown.
   */
  async #notify({ notice, channel, cwd, dashboard }: EffectOf<"Notify">): Promise<EffectOutcome> {
    const { storeNamed = null } = this.#ports;
    const link = noticeLink(notice, dashboard ?? this.#ports.dashboard?.(this.#ports.world) ?? null);
    const command =
      notice.command === null || storeNamed === null
        ? notice.command
        : `${notice.command} --store ${shellWord(storeNamed)}`;
    const outcome = await this.#ports.notifier.deliver({ ...notice, command, link }, channel, cwd);
    if (outcome.kind === "delivered") return { kind: "done", detail: outcome.detail };
    return outcome;
  }
}

/** One that an earlier owner has asked is ended; of others nothing is at work yet. */
async function refuse(
  ports: Ports,
  effect: Effect,
  { refused, ...under }: Under & { readonly refused: EffectOutcome },
): Promise<EffectOutcome> {
  if (effect.kind === "AskReview") return refuseReview(ports, effect, { ...under, refused });
  const driver = effect.kind === "AskTriage" ? ports.drivers.get(effect.spec.use) : undefined;
  if (effect.kind === "AskTriage" && driver !== undefined) await endSession(ports, driver, effect);
  return refused;
}

async function start(
  driver: AgentDriver,
  effect: EffectOf<"StartAgent">,
  { run, env: sealed }: { readonly run: string; readonly env: Readonly<Record<string, string>> },
): Promise<EffectOutcome> {
  // What an agent asks of Holdfast is distinguished by this from what people ask.
  const env = { ...effect.spec.env, ...sealed, HOLDFAST_RUN: run, HOLDFAST_ATTEMPT: effect.attempt };
  const outcome = await driver.start({ ...effect, run, spec: { ...effect.spec, env } });
  const { sandbox } = outcome.kind === "started" ? outcome : {};
  return outcome.kind === "started"
    ? { kind: "done", detail: outcome.detail, ...(sandbox === undefined ? {} : { sandbox }) }
    : { kind: "failed", text: outcome.text, terminal: outcome.terminal };
}

const said = (outcome: SendOutcome): EffectOutcome =>
  outcome.kind === "sent" ? { kind: "done", detail: outcome.detail } : outcome;
