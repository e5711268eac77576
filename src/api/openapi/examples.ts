import type { RouteName } from "../routes/route-paths.ts";

export type Examples = Readonly<
  Partial<Record<RouteName, { readonly request?: unknown; readonly answer?: unknown }>>
>;

export const EXAMPLES: Examples = {};
