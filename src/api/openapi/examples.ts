import type { RouteName } from "../routes/route-paths.ts";
import recorded from "./examples.json" with { type: "json" };

export type Examples = Readonly<
  Partial<Record<RouteName, { readonly request?: unknown; readonly answer?: unknown }>>
>;

/** What a real server was asked and has answered; recorded by test/api/examples.e2e.ts. */
export const EXAMPLES: Examples = recorded;
