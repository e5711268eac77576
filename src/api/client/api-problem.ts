/** What a server has refused, or could not do: its problem document (RFC 9457) as an error. */
export class ApiProblem extends Error {
  readonly status: number;
  /** Our fault code, or that of the guard. */
  readonly code: string;
  readonly expected: string | null;
  /** The command that helps. */
  readonly command: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, document: Readonly<Record<string, unknown>>) {
    const text = (name: string): string | null =>
      typeof document[name] === "string" ? document[name] : null;
    super(text("detail") ?? `the server answered ${String(status)}`);
    this.name = "ApiProblem";
    this.status = status;
    this.code = text("code") ?? "unknown";
    this.expected = text("expected");
    this.command = text("command");
    this.details = (document["details"] ?? {}) as Readonly<Record<string, unknown>>;
  }

  static async of(response: Response): Promise<ApiProblem> {
    const text = await response.text().catch(() => "");
    try {
      return new ApiProblem(response.status, JSON.parse(text) as Record<string, unknown>);
    } catch {
      // Something in between has answered: what it said is all there is.
      return new ApiProblem(response.status, { detail: text.slice(0, 500) });
    }
  }
}
