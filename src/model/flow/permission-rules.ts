import { z } from "zod";

/** What an agent wants to do by its tool, in the words of the Agent Client Protocol. */
export const TOOL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

const policy = z.enum(["ask", "allow", "deny"]);
export type PermissionPolicy = z.infer<typeof policy>;

const PATTERN_CHARS_MAX = 300;
const pattern = z.string().min(1).max(PATTERN_CHARS_MAX);

const ruleSchema = z
  .strictObject({
    tool: pattern.optional().describe("the tool's name as the agent reports it; * and ? are wildcards"),
    kind: z.enum(TOOL_KINDS).optional().describe("what the tool does, where the agent reports it"),
    match: pattern
      .optional()
      .describe("the command, or every path, as the agent reports it; * and ? are wildcards"),
    then: policy.describe("what becomes of a request that the rule is about"),
  })
  .refine(({ tool, kind, match }) => tool !== undefined || kind !== undefined || match !== undefined, {
    message: "a rule needs tool, kind or match; what becomes of all others is said by default",
  });
export type PermissionRule = z.infer<typeof ruleSchema>;

export const permissionsSchema = z.union([
  policy,
  z.strictObject({
    default: policy.optional().describe("what becomes of requests that no rule is about; default: ask"),
    rules: z.array(ruleSchema).max(64).optional().describe("the first that is about a request decides"),
  }),
]);
export type Permissions = z.infer<typeof permissionsSchema>;

const TOOL_CHARS_MAX = 200;
const TARGET_CHARS_MAX = 4_000;
const PATHS_MAX = 16;

/** What a request for permission is about, as the agent reported it: whole, or left out. */
export const toolUseShape = {
  tool: z.string().max(TOOL_CHARS_MAX).optional(),
  toolKind: z.enum(TOOL_KINDS).optional(),
  command: z.string().max(TARGET_CHARS_MAX).optional(),
  /** Files, folders and addresses. */
  paths: z.array(z.string().max(TARGET_CHARS_MAX)).min(1).max(PATHS_MAX).optional(),
};
export type ToolUse = z.infer<z.ZodObject<typeof toolUseShape>>;

/** A request for permission that was not answered yet. */
export type AskedPermission = ToolUse & { readonly what: string };

/** Of something that holds a request for permission, the request alone. */
export const askedOf = ({ what, tool, toolKind, command, paths }: AskedPermission): AskedPermission => ({
  what,
  ...(tool === undefined ? {} : { tool }),
  ...(toolKind === undefined ? {} : { toolKind }),
  ...(command === undefined ? {} : { command }),
  ...(paths === undefined ? {} : { paths }),
});

interface Reported {
  readonly tool?: string | undefined;
  readonly toolKind?: string | undefined;
  readonly command?: string | undefined;
  readonly paths?: readonly string[] | undefined;
}

/** What was reported, of which anything too long to be kept whole is left out: half a command decides nothing. */
export function toolUse({ tool, toolKind, command, paths = [] }: Reported): ToolUse {
  const isWhole = (text: string): boolean => text !== "" && text.length <= TARGET_CHARS_MAX;
  const arePaths = paths.length > 0 && paths.length <= PATHS_MAX && paths.every(isWhole);
  const kind = TOOL_KINDS.find((one) => one === toolKind);
  return {
    ...(tool === undefined || tool === "" || tool.length > TOOL_CHARS_MAX ? {} : { tool }),
    ...(kind === undefined ? {} : { toolKind: kind }),
    ...(command !== undefined && isWhole(command) ? { command } : {}),
    ...(command === undefined && arePaths ? { paths: [...paths] } : {}),
  };
}

/** A person's answer to a permission, for the session that continues the one that asked. */
export interface Permitted {
  readonly what: string;
  readonly allow: boolean;
  readonly note?: string | undefined;
}
