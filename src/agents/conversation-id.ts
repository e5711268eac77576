/**
 * How the name of a conversation may look. An agent prints it, and the next start of the agent has it among its
 * arguments and in the name of a file: it must read as neither an option nor a path.
 */
const SHAPE = /^[A-Za-z0-9][\w.:-]{0,199}$/;

export const isConversationId = (id: string): boolean => SHAPE.test(id);

/** A conversation to continue; undefined where its name cannot be one, so that the agent begins a new one. */
export const continuable = (id: string | undefined): string | undefined =>
  id !== undefined && isConversationId(id) ? id : undefined;
