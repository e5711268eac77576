import type { WebSocket } from "ws";
import { errorText } from "../../model/fault.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import type { Asker } from "../routes/asker.ts";
import type { Holders } from "./holders.ts";
import { viewerMessage, type ServerMessage, type ViewerMessage } from "./messages.ts";
import type { LiveTerminal, TerminalOperations } from "./terminal-port.ts";

export interface Connected {
  readonly operations: TerminalOperations;
  readonly holders: Holders;
  readonly asker: Asker;
  readonly run: string;
  readonly attempt: string;
  readonly session: string;
  readonly spec: AgentSpec;
  /** Whether who is connected may type at all, asked again each time. */
  readonly mayType: () => string | null;
}

/** A viewer that does not read so much is cut off, and may come again. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
const TAKE_WAIT_MS = 5_000;

/**
 * One viewer of one terminal: looks on, may take it over, types, and gives it back.
 *
 * 1. Nothing is typed by who has not taken over, and taking over is answered by the run before the first byte.
 * 2. What is typed is in the run's inbox, with who and from where, before the program has it.
 * 3. Nothing is typed into a dialog that the person did not name as the one that they saw.
 * 4. However the connection ends, the terminal is given back.
 */
export class TerminalConnection {
  readonly #socket: WebSocket;
  readonly #of: Connected;
  readonly #terminal: LiveTerminal;
  readonly #holder: { readonly name: string };
  readonly #unwatch: () => void;
  #yours = false;
  #isOver = false;
  /** One message at a time, in the order in which they came. */
  #turn: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, of: Connected) {
    this.#socket = socket;
    this.#of = of;
    this.#holder = { name: of.asker.by };
    this.#terminal = of.operations.openTerminal(of, {
      onSize: ({ columns, rows }) => this.#send({ kind: "size", columns, rows }),
      onBytes: (bytes) => this.#show(bytes),
      onEnd: (text) => {
        this.#send({ kind: "ended", text });
        socket.close(1000);
      },
    });
    this.#unwatch = of.holders.watch(of.session, () => this.#sendHolder());
    socket.on("message", (data, isBinary) => this.#take(isBinary ? null : textOf(data)));
    socket.on("close", () => this.#close());
    socket.on("error", () => socket.terminate());
    this.#sendHolder();
  }

  #take(text: string | null): void {
    const message = text === null ? null : readMessage(text);
    if (message === null) return this.#socket.close(1008, "not a message of this protocol");
    this.#turn = this.#turn
      .then(() => (this.#isOver ? undefined : this.#do(message)))
      .catch((error: unknown) => this.#refuse(errorText(error)));
  }

  #do(message: ViewerMessage): Promise<void> {
    switch (message.kind) {
      case "take":
        return this.#takeOver();
      case "give_back":
        return this.#giveBack();
      case "type":
        return this.#type(message);
    }
  }

  async #takeOver(): Promise<void> {
    if (this.#yours) return;
    const { mayType, holders, session } = this.#of;
    const not = mayType();
    if (not !== null) return this.#refuse(not);
    const other = holders.take(session, this.#holder);
    if (other !== null)
      return this.#refuse(`${other} has taken this terminal over; it can be taken when it is given back`);
    const answer = await this.#record("take");
    if (answer.kind === "refused") {
      holders.give(session, this.#holder);
      return this.#refuse(answer.text);
    }
    this.#yours = true;
    this.#sendHolder();
  }

  async #giveBack(): Promise<void> {
    if (!this.#yours) return;
    this.#yours = false;
    await this.#record("give_back");
    this.#of.holders.give(this.#of.session, this.#holder);
  }

  async #type({ text, dialog: meant }: Extract<ViewerMessage, { kind: "type" }>): Promise<void> {
    const not = this.#yours ? this.#of.mayType() : "take the terminal over first";
    if (not !== null) return this.#refuse(not);
    const dialog = await this.#terminal.dialog();
    if (dialog === undefined) return this.#refuse("the screen could not be seen, so nothing was typed");
    if (dialog !== null && dialog.id !== meant)
      return this.#send({
        kind: "refused",
        text: "a dialog is open; say that you mean to type into it, or answer it with the run's own buttons",
        dialog,
      });
    const answer = await this.#record("type", text);
    if (answer.kind === "refused") return this.#refuse(answer.text);
    const why = await this.#terminal.type(Buffer.from(text, "utf8"));
    if (why !== null) this.#refuse(why);
  }

  #record(act: "take" | "type" | "give_back", text?: string) {
    const { operations, run, attempt, asker } = this.#of;
    const request = { kind: "terminal", attempt, act, ...(text === undefined ? {} : { text }) } as const;
    return operations.record(run, request, { asker, waitMs: act === "take" ? TAKE_WAIT_MS : 0 });
  }

  #sendHolder(): void {
    this.#send({ kind: "holder", yours: this.#yours, by: this.#of.holders.of(this.#of.session) });
  }

  #refuse(text: string): void {
    this.#send({ kind: "refused", text, dialog: null });
  }

  #send(message: ServerMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #show(bytes: Uint8Array): void {
    if (this.#socket.bufferedAmount > WAITING_BYTES_MAX) return this.#socket.close(1013, "too slow");
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(bytes, { binary: true });
  }

  #close(): void {
    this.#unwatch();
    this.#terminal.close();
    this.#turn = this.#turn
      .then(() => this.#giveBack())
      .catch(() => this.#of.holders.give(this.#of.session, this.#holder))
      .finally(() => (this.#isOver = true));
  }
}

const textOf = (data: Buffer | ArrayBuffer | Buffer[]): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)).toString("utf8");

function readMessage(text: string): ViewerMessage | null {
  try {
    const read = viewerMessage.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    // No JSON: the connection is ended for it, as for any other message that is none of these.
    return null;
  }
}
