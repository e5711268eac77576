import { z } from "zod";
import { BLOCKED_REASONS } from "../../model/requests/blocked.ts";

/** Scripts touch only what lies below the folder they work in. */
const file = z
  .string()
  .min(1)
  .refine(
    (name) => !/^([/\\]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(name),
    "a path below the working folder",
  );
const signal = z.enum(["SIGKILL", "SIGSEGV", "SIGABRT", "SIGTERM", "SIGINT"]);

/** One thing a scripted agent does. In texts, `{task}`, `{run}`, `{step}`, `{attempt}` and `{number}` are filled in. */
const actVariants = [
  z.strictObject({ do: z.literal("say"), text: z.string() }),
  z.strictObject({ do: z.literal("progress"), text: z.string(), pct: z.number().min(0).max(100).optional() }),
  z.strictObject({
    do: z.literal("tool"),
    name: z.string(),
    args: z.string().default(""),
    result: z.string().default(""),
    ok: z.boolean().default(true),
  }),
  z.strictObject({ do: z.literal("write"), file, content: z.string() }),
  /** Appends one line: how often it stands there shows how often the work was done. */
  z.strictObject({ do: z.literal("append"), file, line: z.string() }),
  z.strictObject({ do: z.literal("remove"), file }),
  z.strictObject({ do: z.literal("sleep"), ms: z.number().int().min(0).max(86_400_000) }),
  /** Goes on once the file is there. */
  z.strictObject({ do: z.literal("wait"), file }),
  z.strictObject({
    do: z.literal("error"),
    text: z.string(),
    terminal: z.boolean().default(false),
    status: z.number().int().optional(),
    code: z.string().optional(),
  }),
  /** Says that its provider has set a limit, and when that ends. */
  z.strictObject({ do: z.literal("limit"), text: z.string(), retryAfterMs: z.number().int().min(0) }),
  /** Says that it cannot go on, and what of. */
  z.strictObject({ do: z.literal("blocked"), reason: z.enum(BLOCKED_REASONS), text: z.string() }),
  z.strictObject({
    do: z.literal("usage"),
    tokensIn: z.number().nonnegative().optional(),
    tokensOut: z.number().nonnegative().optional(),
    usd: z.number().nonnegative().optional(),
  }),
  z.strictObject({
    do: z.literal("claim"),
    ok: z.boolean(),
    text: z.string(),
    value: z.unknown().optional(),
  }),
  z.strictObject({ do: z.literal("crash"), signal: signal.default("SIGKILL") }),
  z.strictObject({ do: z.literal("exit"), code: z.number().int().min(0).max(127) }),
  /** Waits until somebody ends it. */
  z.strictObject({ do: z.literal("hang") }),
  /** From now on ignores every polite signal. */
  z.strictObject({ do: z.literal("deaf") }),
  /** Leaves a process behind that sleeps; `session` puts it into a session of its own, as a daemon would. */
  z.strictObject({ do: z.literal("spawn-child"), in: z.enum(["group", "session"]).default("group") }),
  z.strictObject({ do: z.literal("garbage"), text: z.string().default("}{ this is no signal") }),
  /** Prints text without ending the line. */
  z.strictObject({ do: z.literal("half"), text: z.string() }),
] as const;

const actSchema = z.discriminatedUnion("do", actVariants);
export type Act = z.infer<typeof actSchema>;

/** The acts of attempt 1, 2, …; the last list is played for every later attempt. */
export const demoScriptSchema = z.strictObject({ attempts: z.array(z.array(actSchema)).min(1) });
export type DemoScript = z.infer<typeof demoScriptSchema>;
export type DemoScriptInput = z.input<typeof demoScriptSchema>;
