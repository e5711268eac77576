import { CommanderError } from "commander";
import { answerAgain, canAnswerAgain } from "../ask/answer-again.ts";
import { Output, type Sink } from "../print/output.ts";
import { unexpected, usageFault } from "../print/report-fault.ts";
import { callerOf, type MakePerformer, requestIds, type Serving } from "./serving.ts";
import { commandTree } from "../shell/command-tree.ts";
import { type Bind, EXIT } from "../shell/define-command.ts";
import { Invocation } from "../shell/invocation.ts";
import { nameStore } from "../shell/name-store.ts";
import type { Operations, System } from "../../main.ts";
import { Fault, isFault } from "../../model/fault.ts";

type Perform = Operations["perform"];
type Performed = Awaited<ReturnType<Perform>>;

/** What agents are given is not passed on: the server is not part of any agent's work, no matter who has started it. */
const OF_AGENTS = /^HOLDFAST_(RUN|ATTEMPT|SESSION|STEP|DOOR|SERVER|TOKEN)/;

/**
 * Performs commands inside of a server by the code that performs them in a terminal: parsed by the same parser, on the
 * same projections, with the same requests. So nothing can be asked of one that cannot be asked of the other, and neither
 * shows what the other does not.
 */
export const performerOn: MakePerformer = ({ system, surroundings, store }) => {
  const env = Object.fromEntries(Object.entries(surroundings.env).filter(([name]) => !OF_AGENTS.test(name)));
  return async (order) => {
    const output = new CapturedOutput(order.columns ?? null, order.isWhole);
    const serving: Serving = {
      system,
      caller: callerOf(order.asker),
      proof: order.proof,
      input: order.input ?? "",
      once: order.once,
      nextRequest: requestIds(order.once.key),
    };
    const globals = { json: output.json, ...(store === undefined ? {} : { store }) };
    const here = { ...surroundings, env, cwd: order.cwd ?? surroundings.cwd };
    let code: number = EXIT.done;
    let named: string | null = null;
    const bind: Bind =
      (work) =>
      async (...args) => {
        const command = args.pop() as { name(): string };
        const call = new Invocation(globals, output, here, {
          command: command.name(),
          serving,
          ...(order.named === undefined ? {} : { named: order.named }),
        });
        named = call.store.named;
        const before = await askedBefore(order, system);
        code =
          before === null
            ? await work(call, ...(args as never[]))
            : await answerAgain(call, before.run, before.request);
      };
    const fault = await parse(order.words, bind);
    const { documents, text, notes, cursor } = output;
    return {
      exitCode: code,
      ...{ documents, text, notes, cursor },
      fault: fault === null ? null : { ...fault, message: nameStore(fault.message, named) },
    };
  };
};

/** What the run was asked already under this key; its answer is all that is missing. */
async function askedBefore({ asks: run, once: { key, isRepeated } }: Parameters<Perform>[0], system: System) {
  if (run === undefined || key === null || !isRepeated) return null;
  const request = await system.requests.asked(run, key);
  return request === null || !canAnswerAgain(request) ? null : { run, request };
}

async function parse(words: readonly string[], bind: Bind): Promise<Performed["fault"]> {
  const silent = { out: () => undefined, err: () => undefined };
  const program = await commandTree(bind, silent, words);
  try {
    await program.parseAsync([...words], { from: "user" });
    return null;
  } catch (error) {
    const thrown = error instanceof CommanderError ? usageFault(error, program, words) : error;
    const { code, message, details } = isFault(thrown) ? thrown : unexpected(thrown);
    return { code, message, details };
  }
}

const CHARS_MAX = 64 * 1024 * 1024;
const RECORDS_MAX = 100_000;

/** What a command says, kept for who asked a server for it. */
class CapturedOutput extends Output {
  readonly documents: unknown[] = [];
  readonly #out: string[];
  readonly #notes: string[];

  /** Of what comes in parts: where the next one begins. */
  cursor: string | null = null;
  readonly #isWhole: boolean;

  /** `columns`: people's text, so wide; null for documents. `isWhole`: what stdout would hold is kept beside them. */
  constructor(columns: number | null, isWhole = false) {
    const [out, notes] = [kept(columns), kept(columns)];
    super({ json: columns === null, stdout: out.sink, stderr: notes.sink });
    this.#isWhole = isWhole;
    this.#out = out.texts;
    this.#notes = notes.texts;
  }

  get text(): string {
    return this.#out.join("");
  }

  get notes(): string {
    return this.#notes.join("");
  }

  override document(value: unknown): void {
    if (!this.json) return;
    if (this.#isWhole) super.document(value);
    else this.#keep(value);
  }

  override record(value: unknown): void {
    if (this.#isWhole) super.record(value);
    else this.document(value);
  }

  override mark(cursor: string): void {
    this.cursor = cursor;
  }

  #keep(value: unknown): void {
    if (this.documents.length >= RECORDS_MAX) throw tooMuch();
    this.documents.push(value);
  }
}

function kept(columns: number | null): { readonly sink: Sink; readonly texts: string[] } {
  const texts: string[] = [];
  let chars = 0;
  const write = (text: string): boolean => {
    chars += text.length;
    if (chars > CHARS_MAX) throw tooMuch();
    texts.push(text);
    return true;
  };
  return { sink: { columns: columns ?? 80, write }, texts };
}

const tooMuch = (): Fault =>
  new Fault(
    "refused",
    "the answer is larger than a server sends at once; expected a smaller part: ask for pages of it",
  );
