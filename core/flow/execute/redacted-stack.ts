/**
 * Makes a copy of an error that is safe to log: its class and its stack frames. The message is
 * dropped, since it may quote an argument, an answer or a secret of the call.
 */

export function redactStack(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(`a ${typeof cause} was thrown`)
  const stack = cause.stack ?? ''
  const afterMessage = stack.slice(stack.indexOf(cause.message) + cause.message.length)
  const frames = afterMessage.split('\n').filter((line) => /^\s+at /.test(line))
  const redacted = new Error(frames[0]?.trim() ?? 'no stack frames')
  redacted.name = cause.name
  redacted.stack = [cause.name, ...frames].join('\n')
  return redacted
}
