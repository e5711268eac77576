import { z } from "zod";

/** Under this name a connection speaks as described here; the ticket comes beside it as `ticket.…`. */
export const TERMINAL_PROTOCOL = "holdfast.terminal.v1";
export const TICKET_PREFIX = "ticket.";
export const TERMINAL_PATH = "/api/v1/terminal";

const TYPED_CHARS_MAX = 4_096;

/** What a viewer says. Typing counts only after taking over. */
export const viewerMessage = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("take") }),
  z.strictObject({ kind: z.literal("give_back") }),
  z.strictObject({
    kind: z.literal("type"),
    text: z.string().min(1).max(TYPED_CHARS_MAX),
    /** The dialog that was on the screen, where the person means to type into it. */
    dialog: z.string().max(100).optional(),
  }),
]);
export type ViewerMessage = z.infer<typeof viewerMessage>;

/** What a viewer receives, as JSON; what the program draws comes as binary messages. */
export type ServerMessage =
  | { readonly kind: "size"; readonly columns: number; readonly rows: number }
  /** `yours`: what this viewer types reaches the program. `by`: who has taken it over, null for nobody. */
  | { readonly kind: "holder"; readonly yours: boolean; readonly by: string | null }
  /** What was typed did not reach the program; with a dialog, because it is open. */
  | {
      readonly kind: "refused";
      readonly text: string;
      readonly dialog: { readonly id: string; readonly text: string } | null;
    }
  | { readonly kind: "ended"; readonly text: string };
