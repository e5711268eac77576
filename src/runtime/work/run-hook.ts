import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { HookReport } from "../../model/flow/hook.ts";
import type { Ports } from "../ports.ts";

type HookEffect = Extract<Effect, { kind: "RunHook" }>;
type Answer = Omit<HookReport, "tampered" | "durationMs">;

interface Under {
  readonly run: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

const OUTPUT_BYTES_MAX = 65_536;
const MESSAGE_CHARS_MAX = 1_000;
/** A hook that ends so has said no; any other exit code but 0 is a failure of the hook itself. */
const EXIT_BLOCKS = 2;

/** Calls a hook, and compares what it must not touch before and after. */
export async function runHook(ports: Ports, effect: HookEffect, under: Under): Promise<EffectOutcome> {
  const before = await lookAround(ports, effect, under.run, null);
  const startedAt = ports.world.now();
  const answer =
    effect.hook.url === undefined
      ? await byCommand(ports, effect, under)
      : await byPost(ports, effect, { url: effect.hook.url, signal: under.signal });
  const durationMs = Math.max(0, ports.world.now() - startedAt);
  ports.world.crashPoint("hook.called");
  const after = await lookAround(ports, effect, under.run, before);
  return { kind: "done", hook: { ...answer, durationMs, tampered: differences(before, after) } };
}

/** The program gets the JSON on its standard input; the last line that it prints may be its answer. */
async function byCommand(
  ports: Ports,
  { hook, cwd, input, subject, step }: HookEffect,
  { run, key, signal }: Under,
): Promise<Answer> {
  const command = `printf '%s\\n' "$HOLDFAST_HOOK_INPUT" | {\n${hook.run ?? ""}\n}`;
  const env = {
    HOLDFAST_RUN: run,
    HOLDFAST_HOOK: hook.name,
    HOLDFAST_HOOK_INPUT: input,
    HOLDFAST_HOOK_SUBJECT: subject,
    ...(step === undefined ? {} : { HOLDFAST_STEP: step }),
  };
  const { limitMs } = hook;
  const order = { key: `${run}/${key}`, command, cwd, limitMs, outputBytesMax: OUTPUT_BYTES_MAX, env };
  const { exitCode, timedOut, excerpt, signal: ended } = await ports.quality.check(order, signal);
  if (exitCode === 0) return answerIn(excerpt);
  const words = excerpt.trim().slice(-MESSAGE_CHARS_MAX);
  if (exitCode === EXIT_BLOCKS) return { decision: "block", message: words, failed: false };
  const how = timedOut
    ? `did not answer within ${String(limitMs)} ms`
    : `ended with ${String(exitCode ?? ended ?? "no exit code")}`;
  return failure(`it ${how}${words === "" ? "" : `: ${words}`}`);
}

const failure = (message: string): Answer => ({ decision: "block", message, failed: true });

async function byPost(
  { post }: Ports,
  { hook, input }: HookEffect,
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
): Promise<Answer> {
  const { limitMs, allowPrivate = false } = hook;
  const answer = await post?.({
    ...{ url, allowPrivate, body: input, limitMs, signal },
    answerBytesMax: OUTPUT_BYTES_MAX,
  });
  if (answer?.kind !== "answered")
    return failure(`it could not be reached: ${answer?.text ?? "nothing can be posted from here"}`);
  const { status, beginning, whole } = answer;
  // Half an answer is none: what it would have said is not known.
  if (!whole) return failure("its answer was cut off");
  if (status >= 200 && status < 300) return answerIn(beginning);
  return failure(`it answered with status ${String(status)}: ${beginning.slice(0, MESSAGE_CHARS_MAX)}`);
}

/** The last line that is an answer; words that are none let it go on. */
function answerIn(text: string): Answer {
  for (const line of text.trim().split("\n").reverse()) {
    const said = parsed(line);
    if (said === null) continue;
    const { decision, message } = said;
    const words = typeof message === "string" ? message.slice(0, MESSAGE_CHARS_MAX) : "";
    if (decision === "continue" || decision === "block" || decision === "warn")
      return { decision, message: words, failed: false };
    return failure(`it answered ${line.slice(0, 200)}; expected a decision of continue, block or warn`);
  }
  return { decision: "continue", message: "", failed: false };
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    const isAnswer = typeof value === "object" && value !== null && "decision" in value;
    return isAnswer ? { ...value } : null;
  } catch {
    // Not every line that a program prints is its answer.
    return null;
  }
}

interface Around {
  readonly trusted: string | null;
  readonly changed: readonly string[];
  readonly head: string | null;
  readonly seq: number;
  readonly hash: string | null;
}

/** What a hook must not touch: protected files, where HEAD stands, and what the journal already holds. */
async function lookAround(
  { guard, workspace, journal }: Ports,
  { cwd, rules, watched }: HookEffect,
  run: string,
  before: Around | null,
): Promise<Around> {
  const head = await workspace.head(cwd);
  const guarded =
    watched && rules.length > 0
      ? await guard.check({ tree: cwd, rules, trusted: before?.trusted ?? null, undo: false })
      : null;
  const seq = before?.seq ?? (await journal.head(run))?.seq ?? 0;
  const [event] = seq === 0 ? [] : await journal.read(run, { after: seq - 1, limit: 1 });
  return {
    trusted: guarded?.trusted ?? null,
    changed: before === null ? [] : (guarded?.findings ?? []).map(({ path }) => path),
    head: watched && head.kind !== "none" ? `${head.branch ?? ""} ${head.commit ?? ""}` : null,
    seq,
    hash: event?.hash ?? null,
  };
}

const differences = (before: Around, after: Around): string[] => [
  ...after.changed,
  ...(before.head === after.head ? [] : ["the branch or commit of the run's tree"]),
  ...(before.hash === after.hash ? [] : ["the run's journal"]),
];
