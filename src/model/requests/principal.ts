import { z } from "zod";

/**
 * How a principal was proved, from the weakest to the strongest. `environment` and `process` prove agents alone: who is
 * found to be one has fewer rights, so nobody gains by pretending.
 */
export const PROOFS = ["none", "environment", "process", "passphrase", "token"] as const;
export type Proof = (typeof PROOFS)[number];

/** Who asks for something, and how that was proved. */
export const principalSchema = z.object({
  kind: z.enum(["person", "agent", "program", "policy"]),
  name: z.string().min(1).max(400),
  proof: z.enum(PROOFS),
  /** Of agents: the run and the attempt that it works for, and the run at the root of that run's family. */
  run: z.string().max(200).optional(),
  attempt: z.string().max(200).optional(),
  family: z.string().max(200).optional(),
  /** The way by which it was asked, where that is not the command line: from which address, by which token. */
  via: z.string().max(300).optional(),
});
export type Principal = z.infer<typeof principalSchema>;

/** What a person proves to be the holder of: a key that is derived from a passphrase or a token, which nobody stores. */
export const approverKeySchema = z.object({
  name: z.string().min(1).max(200),
  proof: z.enum(["passphrase", "token"]),
  /** The public half, as hexadecimal digits. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  salt: z.string().regex(/^[0-9a-f]{32}$/),
});
export type ApproverKey = z.infer<typeof approverKeySchema>;

/** A signature over one request to one run; see `request-proof.ts` for what it covers. */
export const requestProofSchema = z.object({
  name: z.string().min(1).max(200),
  key: z.string().regex(/^[0-9a-f]{64}$/),
  expiresAt: z.number().int(),
  signature: z.string().regex(/^[0-9a-f]{128}$/),
});
export type RequestProof = z.infer<typeof requestProofSchema>;

const AGENT_WORD = /^agent[: ](.+)$/;

/** Who a row is from that says no more than a name, as rows of earlier versions do. */
export function principalNamed(by: string): Principal {
  const [, attempt] = AGENT_WORD.exec(by) ?? [];
  if (attempt !== undefined) return { kind: "agent", name: by, proof: "none", attempt };
  return { kind: by === "program" ? "program" : "person", name: by || "unknown", proof: "none" };
}

/**
 * What can be believed of what a row says of its own sender. Anybody may write to an inbox: that it is from an agent is
 * believed, that it is proved to be from a person is not.
 */
export function claimedPrincipal(claimed: unknown, by: string): Principal {
  const named = principalNamed(by);
  const read = principalSchema.safeParse(claimed);
  if (!read.success) return named;
  const { kind, proof } = read.data;
  if (named.kind === "agent" && kind !== "agent") return named;
  if (kind === "policy") return { ...read.data, kind: "program", proof: "none" };
  return kind === "agent" && proof !== "passphrase" ? read.data : { ...read.data, proof: "none" };
}
