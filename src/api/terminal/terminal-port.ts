import type { AgentSpec } from "../../model/flow/flow.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { Asker } from "../routes/asker.ts";

export interface TerminalDialog {
  readonly id: string;
  readonly text: string;
}

export interface TerminalListener {
  readonly onSize: (size: { readonly columns: number; readonly rows: number }) => void;
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onEnd: (why: string) => void;
}

/** A terminal that somebody looks at. Nothing is typed but by `type`. */
export interface LiveTerminal {
  dialog(): Promise<TerminalDialog | null | undefined>;
  type(bytes: Uint8Array): Promise<string | null>;
  close(): void;
}

/** What the composition root lends for terminals. */
export interface TerminalOperations {
  readonly openTerminal: (
    of: { readonly session: string; readonly spec: AgentSpec },
    receive: TerminalListener,
  ) => LiveTerminal;
  /** Puts a request into the run's inbox for somebody; it is on disk when this answers. */
  readonly record: (
    run: string,
    request: RunRequest,
    more: { readonly asker: Asker; readonly waitMs: number },
  ) => Promise<{ readonly kind: "done" | "refused" | "queued"; readonly text: string }>;
}
