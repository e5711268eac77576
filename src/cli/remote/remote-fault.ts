import { ApiProblem } from "../../api/client/api-problem.ts";
import { errorText, Fault, FAULT_CODES, isFault, type FaultCode } from "../../model/fault.ts";

const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT|INVALID_CA)/;

/** What a server refused, or why it could not be asked, in the terms of the command line. */
export function remoteFault(error: unknown, url: string): Fault {
  if (isFault(error)) return error;
  return error instanceof ApiProblem ? refusedFault(error, url) : unreachedFault(error, url);
}

function refusedFault({ code, message, expected, details, status, command }: ApiProblem, url: string): Fault {
  if (Object.hasOwn(FAULT_CODES, code)) return new Fault(code as FaultCode, message, { details });
  if (status === 401)
    return new Fault(
      "refused",
      `${url} does not know the token: ${message}; expected a valid one in --token-file or HOLDFAST_TOKEN (\`holdfast token create\` on its machine makes one)`,
      { details: { status, code } },
    );
  if (code === "no_such_route")
    return new Fault(
      "refused",
      `${url} is a server of another version: ${message}; bring both to one version`,
      {
        details: { status, code },
      },
    );
  const hope = expected === null ? "" : `; expected ${expected}`;
  const help = command === null ? "" : ` (\`${command}\` on its machine)`;
  return new Fault(
    status >= 500 ? "store_unavailable" : "refused",
    `${url} refused: ${message}${hope}${help}`,
    {
      details: { status, code },
    },
  );
}

function unreachedFault(error: unknown, url: string): Fault {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? "";
  const why = errorText(error) === "" ? code : errorText(error);
  if (UNTRUSTED.test(code))
    return new Fault(
      "store_unavailable",
      `the certificate of ${url} is not trusted (${code}: ${why}); name the file of its authority: --ca-file FILE`,
      { details: { url, code } },
    );
  if (/^(?:ERR_SSL|EPROTO)/.test(code))
    return new Fault(
      "store_unavailable",
      `${url} does not speak TLS (${code}); expected the address of \`holdfast serve\``,
      {
        details: { url, code },
      },
    );
  return new Fault(
    "store_unavailable",
    `the server ${url} cannot be reached: ${why}; expected one started with \`holdfast serve\` or \`holdfast up\``,
    { retry: "later", details: { url, code } },
  );
}
