import type { Run } from "../../loop/workflow-function.ts";
import { providerTrouble } from "../../model/agent/provider-trouble.ts";

/** What the SDK's models of any version have in common. */
export interface CallableModel {
  readonly modelId: string;
  doGenerate(options: unknown): PromiseLike<object>;
  doStream(options: unknown): PromiseLike<{ readonly stream: ReadableStream<StreamPart> }>;
}

interface StreamPart {
  readonly type: string;
  readonly usage?: unknown;
}

type Recorded<Value> = { readonly value: Value } | { readonly failure: ModelFailure };

/** The model with every reply recorded: asked again for the same, it answers from the journal. */
export function durableModel<Model extends CallableModel>(model: Model, run: Run, scope: string): Model {
  let calls = 0;
  const nextName = (): string => `${scope}/model/${String(calls++)}`;
  const calling = {
    doGenerate: (options: unknown) => generate(model, run, { name: nextName(), options }),
    doStream: (options: unknown) => stream(model, run, { name: nextName(), options }),
  };
  return new Proxy(model, {
    get: (target, name): unknown =>
      Object.hasOwn(calling, name) ? Reflect.get(calling, name) : Reflect.get(target, name, target),
  });
}

interface Call {
  readonly name: string;
  readonly options: unknown;
}

async function generate(model: CallableModel, run: Run, { name, options }: Call): Promise<unknown> {
  const recorded = await run.step(name, async (): Promise<Recorded<unknown>> => {
    try {
      const result = await model.doGenerate(options);
      spend(run, result);
      return { value: toPlain({ ...result, request: undefined }) };
    } catch (error) {
      // Trouble that passes is waited out by the step; the SDK is given what is left.
      if (run.signal.aborted || providerTrouble(error) !== null) throw error;
      return { failure: recordedFailure(error) };
    }
  });
  if ("failure" in recorded) throw restoredFailure(recorded.failure);
  return fromPlain(recorded.value);
}

/**
 * Parts are passed on as they come; the end of the reply is passed on when all of it is on disk. A process that dies
 * before that asks the model again, and nobody has seen the reply end.
 */
async function stream(model: CallableModel, run: Run, { name, options }: Call): Promise<unknown> {
  let out: ReadableStreamDefaultController<StreamPart> | undefined;
  const passedOn = new ReadableStream<StreamPart>({ start: (controller) => void (out = controller) });
  let begun = (): void => undefined;
  const beginning = new Promise<void>((resolve) => (begun = resolve));
  let live: StreamPart[] | undefined;
  const recording = run.step(name, async (): Promise<Recorded<unknown>> => {
    try {
      const { stream: source } = await model.doStream(options);
      begun();
      live = [];
      const parts: StreamPart[] = [];
      for await (const part of source) {
        parts.push(part);
        // From its end on, the reply is held back until it is recorded.
        if (part.type === "finish" || live.length > 0) live.push(part);
        else out?.enqueue(part);
        if (part.type === "finish") spend(run, part);
      }
      return { value: toPlain(parts) };
    } catch (error) {
      // What was passed on cannot be taken back: only a reply that has not begun is asked for again.
      if (run.signal.aborted || (live === undefined && providerTrouble(error) !== null)) throw error;
      return { failure: recordedFailure(error) };
    }
  });
  const ended = recording.then((recorded) => {
    if ("failure" in recorded) throw restoredFailure(recorded.failure);
    for (const part of live ?? (fromPlain(recorded.value) as StreamPart[])) out?.enqueue(part);
    out?.close();
  });
  ended.catch((error: unknown) => out?.error(error));
  await Promise.race([beginning, ended]);
  return { stream: passedOn };
}

/** Tokens count against the run's budget, in the commit that records the reply. */
function spend(run: Run, { usage }: { readonly usage?: unknown }): void {
  const tokens = tokensOf(usage, "inputTokens") + tokensOf(usage, "outputTokens");
  if (tokens > 0) run.budget.spend({ tokens });
}

function tokensOf(usage: unknown, side: "inputTokens" | "outputTokens"): number {
  const found = (usage as Record<string, unknown> | undefined)?.[side];
  const total = typeof found === "object" && found !== null ? (found as { total?: unknown }).total : found;
  return typeof total === "number" ? total : 0;
}

/** A failed call to a model, as it is recorded: the SDK decides by its kind whether to call again. */
interface ModelFailure {
  readonly name: string;
  readonly message: string;
  /** The SDK knows its errors by symbols, not by classes. */
  readonly marks: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
}

const FACT_CHARS_MAX = 16_384;
const MARK = "vercel.ai.error";

export function recordedFailure(error: unknown): ModelFailure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), marks: [], facts: {} };
  const marks = Object.getOwnPropertySymbols(error)
    .map((symbol) => Symbol.keyFor(symbol) ?? "")
    .filter((mark) => mark.startsWith(MARK));
  const facts = Object.entries(error).filter(([, value]) => isData(value));
  return { name: error.name, message: error.message, marks, facts: Object.fromEntries(facts) };
}

/** The SDK reads headers, too: plain data is kept whole, as far as it is not too much. */
function isData(value: unknown): boolean {
  if (["string", "number", "boolean"].includes(typeof value)) return true;
  if (typeof value !== "object" || value === null) return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  const areTexts = isPlain && Object.values(value).every((one) => typeof one === "string");
  return areTexts && JSON.stringify(value).length <= FACT_CHARS_MAX;
}

export function restoredFailure({ name, message, marks, facts }: ModelFailure): Error {
  const error = Object.assign(new Error(message), facts, { name });
  for (const mark of marks) Object.defineProperty(error, Symbol.for(mark), { value: true });
  return error;
}

const DATE = "holdfast:date";
const BYTES = "holdfast:bytes";

/** Replies of models hold times and files; in the journal they are data, and come back as what they were. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Date) return { [DATE]: value.toISOString() };
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString("base64") };
  if (value instanceof URL) return value.href;
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPlain(inner)]));
}

export function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== "object" || value === null) return value;
  const { [DATE]: date, [BYTES]: bytes } = value as Record<string, unknown>;
  if (typeof date === "string") return new Date(date);
  if (typeof bytes === "string") return new Uint8Array(Buffer.from(bytes, "base64"));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fromPlain(inner)]));
}
