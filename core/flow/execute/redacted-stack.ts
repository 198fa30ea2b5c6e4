/**
 * What may be logged of a bug amid a call: its kind and its places. Never its message, which may quote
 * what the call holds: an argument, an answer, a secret.
 */

export function redactedStack(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(`a ${typeof cause} was thrown`)
  const stack = cause.stack ?? ''
  const behind = stack.slice(stack.indexOf(cause.message) + cause.message.length)
  const places = behind.split('\n').filter((line) => /^\s+at /.test(line))
  const told = new Error(places[0]?.trim() ?? 'nobody knows where')
  told.name = cause.name
  told.stack = [cause.name, ...places].join('\n')
  return told
}
