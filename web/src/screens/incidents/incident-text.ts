/** What is in trouble, without the command that ends it: that one has a button beside it. */
export const incidentText = (text: string, command: unknown): string =>
  typeof command === "string" && text.endsWith(command)
    ? text.slice(0, -command.length).replace(/;[^;]*$/, "")
    : text;
